"""Measured tables in the language of the page: `make bench` and its kin write them once, in English.

In:  a file of shared/generated, as a page brings it in.
Out: for a Chinese page, its headings, sentences and cells in Chinese. Numbers, code and names of tables stay.

A phrase below stands for every place where it is written so; "#" is a number or a piece of code, and both languages
have them in the same order. A test finds what has no Chinese yet.
"""

import re
from collections.abc import Iterator

KEPT = re.compile(r"`[^`]*`|(?<![\w.])[+-]?\d+(?:,\d{3})*(?:\.\d+)*(?:e[+-]?\d+)?(?!\w)|\]\([^)]*\)")
FENCE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
FULL_WIDTH = {",": "，", ".": "。", ":": "：", ";": "；"}
PUNCTUATION = re.compile(r"(?<=[\u4e00-\u9fff）*])([,.:;])(?: |$)")  # what follows a Chinese word
OWN_LINE = ("#", "|", "- ", "!", "<")

IN_CHINESE = {
    # engines
    "rows in": "数据在",
    "rows come here, in batches": "分批取到本地",
    "summed there": "在那里求和",
    "partitions collected there": "各分区就地汇总",
    "exact validation": "精确验证",
    "yes": "能",
    "files: Parquet, CSV, Feather, JSON lines": "文件：Parquet、CSV、Feather、JSON lines",
    "a dataset of pyarrow": "pyarrow 的 dataset",
    "a reader of Arrow, read once": "Arrow 的 reader，只读一遍",
    "Polars, lazy": "Polars（惰性）",
    "PostgreSQL, by ibis": "PostgreSQL（经 ibis）",
    "# rows × (# numbers, # texts, a label) in # Parquet files; the best of #.": (
        "# 行 ×（# 列数值、# 列文本、一列标签），分为 # 个 Parquet 文件；取 # 次中最好的一次。"
    ),
    "way": "做法",
    "seconds": "秒",
    "processor seconds": "处理器秒",
    "peak memory, GB": "内存峰值（GB）",
    "bare scan of the files": "只扫描文件",
    "#: full scatter, counts of texts": "#：完整的离差阵，文本的计数",
    "scikit-learn, # of the numbers: variances only": "scikit-learn，数值列用 #：只有方差",
    "the same, of labels turned into whole numbers first": "同上，标签先变成整数",
    "scikit-learn, # of the numbers and # of the texts: variances, counts": (
        "scikit-learn，数值列用 #、文本列用 #：方差、计数"
    ),
    "summed by DuckDB": "由 DuckDB 求和",
    "summed by Polars": "由 Polars 求和",
    "files read by Dask, two workers of one thread, #": "由 Dask 读文件，两个进程、各一个线程，#",
    "a frame of Dask, #, two workers of one thread": "Dask 的表，#，两个进程、各一个线程",
    "Spark's own NaiveBayes: variances only": "Spark 自带的 NaiveBayes：只有方差",
    "a step of EM over one of the files, # components, full covariances": (
        "在其中一个文件上做一步 EM，# 个分量，完整协方差"
    ),
    "the same step of scikit-learn, those rows in memory": "scikit-learn 的同样一步，数据在内存里",
    "seconds of": "用时：",
    "beside those of": "对比",
    "times": "倍数",
    "aimed at": "目标",
    "at least #": "至少 #",
    "at most #": "至多 #",
    "# of rows of # numbers (float32), # texts and a label:": ("#，每行有 # 列数值（float32）、# 列文本和一列标签："),
    "microseconds a row": "每行微秒",
    "Seconds and memory over rows": "用时与内存随行数的变化",
    # trust
    "# replications": "重复 # 次",
    "mixture": "混合模型",
    "mixture, half as far apart": "混合模型，分量间距减半",
    "latent classes": "潜在类别",
    "hidden labels": "隐藏标签",
    "Digits of posteriors (of scores, where there are none) that hold, of # rows and three columns, against the same "
    "cells standardised exactly:": (
        "后验概率（没有后验概率的模型则是得分）有几位数字成立，# 行、三列，与精确标准化后的同样数据相比："
    ),
    "# sd from #": "# 个标准差，距 #",
    "# sd": "# 个标准差",
    "unit #": "单位 #",
    "weights #": "权重 #",
    "refused": "拒绝",
    "promised": "承诺",
    "diagonal": "对角",
    "diagonal, shared": "对角、共用",
    "spherical": "球形",
    "spherical, shared": "球形、共用",
    # learning curves, dependence, tuning
    "Error rates on rows left over, means of # draws ± their standard errors:": (
        "在其余的行上的错误率，# 次抽取的均值 ± 标准误："
    ),
    "table": "表",
    "rows": "行数",
    "columns": "列",
    "naive Bayes": "朴素贝叶斯",
    "logistic": "逻辑回归",
    "margin": "间隔",
    "penguins, numbers": "penguins，数值列",
    "Log loss, and below it accuracy, of ten folds, each with its standard error; the least log loss is bold.": (
        "十折的对数损失，下面是准确率，都带标准误；最小的对数损失用粗体。"
    ),
    "tree": "树",
    "tree by evidence": "按证据选的树",
    "averages": "平均",
    "full Gaussian": "完整高斯",
    "# of categories": "# 列离散",
    "# of numbers": "# 列数值",
    "(# whole, of few values)": "（其中 # 列整数，取值少）",
    "# cells missing": "缺失 # 格",
    "Against naive Bayes, by more than two standard errors of the paired difference of log losses:": (
        "与朴素贝叶斯相比，对数损失的成对差超过两个标准误的："
    ),
    "better on": "更好的有",
    "worse on": "更差的有",
    "neither on": "分不出的有",
    "tuned": "调参",
    "best fixed corner": "最好的固定设置",
    "its log loss": "它的对数损失",
    "tuned − best (paired)": "调参 − 最好（成对）",
    "within # se": "在 # 个标准误之内",
    "full, own": "完整、各类自有",
    "full, shared": "完整、共用",
    "smoothing #": "平滑 #",
    # performance
    "On x86_64, # cores, which reads # GB/s from memory and multiplies matrices at # GFLOP/s:": (
        "机器为 x86_64，# 核，每秒从内存读 # GB，矩阵乘法每秒 # GFLOP："
    ),
    "task": "任务",
    "peer": "对手",
    "peer's time": "对手用时",
    "ours": "本库",
    "ratio": "倍数",
    "target": "目标",
    "peer's MB": "对手 MB",
    "our MB": "本库 MB",
    "largest difference": "最大差异",
    "Gaussian NB": "高斯朴素贝叶斯",
    "categorical NB": "离散朴素贝叶斯",
    "multinomial NB sparse": "多项朴素贝叶斯（稀疏）",
    "linear discriminant": "线性判别",
    "quadratic discriminant": "二次判别",
    "# components, full, # steps of EM": "# 个分量，完整，# 步 EM",
    "# components, diag, # steps of EM": "# 个分量，对角，# 步 EM",
    "# components, tied, # steps of EM": "# 个分量，共用，# 步 EM",
    "leave-one-out, linear discriminant": "留一法，线性判别",
    "against our own fit and predict_proba": "对比本库自己的 fit 与 predict_proba",
    "our own fit and predict_proba": "本库自己的 fit 与 predict_proba",
    "against LDA in # folds": "对比 LDA 分 # 折",
    "LDA in # folds": "LDA 分 # 折",
    "three text columns # rows, read": "三列文本 # 行，读取",
    "pyarrow dictionaries": "pyarrow 的 dictionary",
    "How many times as fast as the peer, and the target": "是对手的几倍快，以及目标",
    "Seconds over rows, columns and classes": "用时随行数、列数、类别数的变化",
    "# takes # s once scikit-learn is there, which takes # s by itself.": (
        "# 在 scikit-learn 已经载入时用 # 秒；scikit-learn 自身用 # 秒。"
    ),
    # SQL
    "model": "模型",
    "all four": "四种都有",
    "predictive": "预测分布",
    "unseen ignored": "未见取值忽略",
    "most probable parameters": "最可能的参数",
    "maximum likelihood": "极大似然",
    "columns modelled together": "几列共同建模",
    "several components": "多个分量",
    "rows of counts": "计数行",
    "rows of counts, integrated out": "计数行，参数积分掉",
    "quadratic discriminant beside categories": "二次判别，另有离散列",
    "nearest mean": "最近均值",
    "diagonal discriminant": "对角判别",
    "several components in a class": "一类多个分量",
    "tree with numbers": "有数值列的树",
    "tree with numbers, most probable": "有数值列的树，最可能的参数",
    "tree of numbers": "数值列的树",
    "averaged one-dependence": "平均一依赖",
    "margin, probabilities": "间隔，带概率",
    "calibrated": "校准后",
    "decisions under other priors": "换了先验的决策",
    "# rows of # numbers and, for naive Bayes, # texts, in # classes; DuckDB #, # cores:": (
        "# 行，每行 # 列数值，朴素贝叶斯另有 # 列文本，# 类；DuckDB #，# 核："
    ),
    "SQL, into a table": "SQL，写入表",
    "fetch and #": "取回再 #",
    "plug-in": "代入估计",
    # starts
    "The best end known is that of # plain runs; medians over # seeds.": (
        "已知最好的结果取自 # 次普通运行；表中是 # 个种子的中位数。"
    ),
    "Gaussian mixtures, full covariances, beside scikit-learn": "高斯混合、完整协方差，与 scikit-learn 对比",
    "rows × columns": "行 × 列",
    "ours, #": "本库，#",
    "# plain runs": "# 次普通运行",
    "peer, #": "对手，#",
    "ours, s": "本库（秒）",
    "# plain, s": "# 次普通（秒）",
    "peer, s": "对手（秒）",
    "In the middle of the tables: ours #, ten plain runs #, scikit-learn's ten #.": (
        "各表的中位数：本库 #，十次普通运行 #，scikit-learn 的十次 #。"
    ),
    "In the middle of the tables: ours #, ten plain runs #, StepMix's ten #.": (
        "各表的中位数：本库 #，十次普通运行 #，StepMix 的十次 #。"
    ),
    "Latent classes, beside StepMix": "潜在类别，与 StepMix 对比",
    "How many components: #, # to #, beside a loop over scikit-learn's mixtures": (
        "几个分量：#，从 # 到 #，与逐个拟合 scikit-learn 的混合模型对比"
    ),
    "scikit-learn, s": "scikit-learn（秒）",
    # quality
    "This page shows # of the # tables.": "本页有 # 张表（共 # 张）。",
    "Of our # results # were made by the library as it is; # by an earlier state, not looked at again.": (
        "本库的 # 个结果中，# 个出自现在的代码，# 个出自较早的代码，没有再看。"
    ),
    "Of our # results # were made by the library as it is; # by an earlier state, a fold of which was learned anew and "
    "came out the same; # by an earlier state, not looked at again.": (
        "本库的 # 个结果中，# 个出自现在的代码，# 个出自较早的代码、重新训练其中一折结果相同，"
        "# 个出自较早的代码，没有再看。"
    ),
    "Of our # results # were made by the library as it is; # by an earlier state, a fold of which was learned anew and "
    "came out the same.": "本库的 # 个结果中，# 个出自现在的代码，# 个出自较早的代码、重新训练其中一折结果相同。",
    "Of our # results all were made by the library as it is.": "本库的 # 个结果都出自现在的代码。",
    "What has not been run shows —.": "没有运行的写作 —。",
    "Every model": "各个模型",
    "Means over the tables that a model answers; models that answer other tables have other means, and comparisons on "
    "the same tables are below.": "取模型能回答的各表的均值；能回答的表不同，均值便不可比，同样的表上的比较见下。",
    "tables": "表数",
    "log loss": "对数损失",
    "accuracy": "准确率",
    "calibration error": "校准误差",
    "seconds a table": "每表秒数",
    "scikit-learn's naive Bayes": "scikit-learn 的朴素贝叶斯",
    "Side by side": "两两比较",
    "Better / tie / worse of the first against the second, and the mean difference of log losses where both answer.": (
        "前者对后者的优 / 平 / 劣，以及两者都回答的表上对数损失之差的均值。"
    ),
    "first": "前者",
    "second": "后者",
    "better / tie / worse": "优 / 平 / 劣",
    "mean difference": "平均差",
    "Which settings are defaults": "默认用哪些设置",
    "Every second table, by name, is for choosing; the others judge what was chosen. Better / tie / worse of each "
    "setting, and the mean difference of log losses.": (
        "按表名隔一张取一张用来选择，其余的用来评判。各设置的优 / 平 / 劣，以及对数损失之差的均值。"
    ),
    "The estimate of #": "# 的估计",
    "setting": "设置",
    "half to choose": "选择的一半",
    "mean": "均值",
    "half to judge": "评判的一半",
    "# against #": "# 对 #",
    "Whole numbers of at most ten values": "至多十个取值的整数",
    "# beside LDA with shrinkage": "# 与带收缩的 LDA",
    "# beside QDA with regularisation": "# 与带正则的 QDA",
    "Log loss of every table": "各表的对数损失",
    "The best is bold; an empty cell was not run, or the model is not for such tables.": (
        "最好的用粗体；空格是没有运行，或模型不适用于这样的表。"
    ),
    "Small samples": "小样本",
    "Learned from #, # or # rows, five times, and judged by all others: mean log loss over the tables that have so "
    "many rows. A model that refuses some (in any of the five) is averaged over those that it answers.": (
        "用 #、# 或 # 行学习，各五次，用其余各行评判：行数足够的各表的平均对数损失。"
        "拒绝某些表（五次中任一次）的模型，只对它回答的表取平均。"
    ),
    "# rows, # tables": "# 行，# 张表",
    "# (# of # refused)": "#（拒绝 # / #）",
    "One label in ten": "十分之一的标签",
    "Labels of a tenth of the training rows (two of each class at least), # % of all rows kept for judging, five "
    "times: the labelled rows alone, and all rows, the other labels hidden.": (
        "训练行中十分之一有标签（每类至少两个），全部行的 # % 留作评判，各五次："
        "只用有标签的行，与用全部行、隐藏其余标签。"
    ),
    "all rows better / tie / worse than the labelled alone": "全部行对只用有标签的行：优 / 平 / 劣",
    "alone": "只用有标签的",
    "all rows": "全部行",
    "Mixtures": "混合模型",
    "Tables of numbers, as many components as classes, which nobody tells. Held out: mean ln p of rows left out in "
    "turn (five folds; columns in standard deviations). Gaps: nats between the objective that a seed ends with and "
    "the best of all seeds and of one run with # restarts.": (
        "数值表，分量数等于类别数，但不告诉类别。留出：轮流留出的行的平均 ln p（五折；各列以标准差为单位）。"
        "差距：一个种子最终的目标值与全部种子、以及重启 # 次的一次运行中最好者之差（奈特）。"
    ),
    "held out": "留出",
    "seeds within # nat": "相差 # 奈特以内的种子",
    "median gap": "差距的中位数",
    "largest": "最大",
    "# of #": "# / #",
    "# against #, held out: # / # / # (better / tie / worse).": "# 对 #，留出：# / # / #（优 / 平 / 劣）。",
    "Refusals": "拒绝的情形",
    "errors": "错误",
    "which": "哪些表",
    "The tables": "各表",
    "Nothing of them is kept here: pip fetches the packages into a folder that git ignores. Licences are those that "
    "the packages state of themselves.": (
        "这里不保存它们：pip 把软件包取到 git 忽略的文件夹里。许可证以软件包自己所写为准。"
    ),
    "package and licence": "软件包与许可证",
    "class": "类别",
    "classes": "类别数",
    "left out": "去掉的列",
    "it is what the class says": "就是类别所说的",
    "a running number": "流水号",
    "the number of the patient": "病人编号",
    "they are the class, and a running number": "就是类别，以及流水号",
    "names": "名称",
    "rows of unknown type are left out": "去掉类型不明的行",
    "known only afterwards": "事后才知道",
    "nearly a name for each row": "几乎每行一个名称",
    "a running number, and known only afterwards": "流水号，以及事后才知道的",
    "always #": "总是 #",
    "they hold the class": "含有类别",
    "matched pairs": "配对",
    "the first # of # genes": "前 # 个基因，共 # 个",
    "a name for each row": "每行一个名称",
    "a name, and text": "名称与文本",
    "counts of # words": "# 个词的计数",
    "words of fewer than five texts": "不到五篇文本有的词",
    "How the goal stands": "目标达到了没有",
    "No default or automatic setting refuses a table: **met**, # pairs of a setting and a table.": (
        "默认与自动设置都不拒绝任何一张表：**达到**，# 对设置与表。"
    ),
    "# is never significantly worse than #": "# 从不显著劣于 #",
    "# is worse than # on no more tables than it is better": "# 劣于 # 的表不多于优于的表",
    "met": "达到",
    "not met": "未达到",
    "(better / tie / worse)": "（优 / 平 / 劣）",
    "on # tables that were run": "共运行 # 张表",
    "Not on": "例外",
}
PHRASES = re.compile(
    "|".join(rf"(?<![A-Za-z]){re.escape(phrase)}(?![A-Za-z])" for phrase in sorted(IN_CHINESE, key=len, reverse=True))
)


def said(text: str, language: str) -> str:
    """A measured file as a page of a language shows it."""
    return text if language == "en" else "".join(map(in_chinese, FENCE.split(text)))


def in_chinese(part: str) -> str:
    return part if part.startswith("```") else "\n".join(map(unit_in_chinese, units(part)))


def units(text: str) -> Iterator[str]:
    """Lines that stand alone, and paragraphs, each as one line."""
    paragraph: list[str] = []
    for line in text.split("\n"):
        alone = not line or line.startswith(OWN_LINE)
        if paragraph and alone:
            yield " ".join(paragraph)
            paragraph = []
        if alone:
            yield line
        else:
            paragraph.append(line)
    if paragraph:
        yield " ".join(paragraph)


def unit_in_chinese(unit: str) -> str:
    """Phrases in Chinese, with numbers and code put back in their order."""
    hidden = KEPT.sub("\0", unit.replace("#", "\1"))
    shape = PHRASES.sub(lambda found: IN_CHINESE[found[0]], hidden.replace("\0", "#"))
    shape = PUNCTUATION.sub(lambda found: FULL_WIDTH[found[1]], shape).replace(" （", "（")
    kept = iter(KEPT.findall(unit.replace("#", "\1")))
    return re.sub("#", lambda _: next(kept), shape).replace("\1", "#")
