"""Frames of PySpark, in a real Spark: summed by the engine, or collected partition by partition."""

import numpy as np
import pandas as pd
import pytest

from engines.rows import KINDS, table
from suffice import NaiveBayes, collect
from suffice.errors import ParameterError, UnknownLabelsError

pytestmark = [
    pytest.mark.filterwarnings("ignore::suffice.errors.KindHint"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


def _there(spark, frame: pd.DataFrame):
    return spark.createDataFrame(frame).repartition(3)


@pytest.mark.parametrize("where", ["engine", "partitions", "here"])
@pytest.mark.parametrize("weight", [None, "weight"])
@pytest.mark.parametrize("missing", [False, True], ids=["whole", "holes"])
def test_spark_says_what_memory_says(missing, weight, where, spark):
    frame = table(missing=missing)
    kinds = KINDS if weight else KINDS | {"weight": "ignore"}
    here = collect(frame, "label", sample_weight=weight, kinds=kinds)
    there = collect(_there(spark, frame), "label", sample_weight=weight, kinds=kinds, where=where)
    assert there == here
    rows = frame.drop(columns=["label", *([weight] if weight else [])])
    one, other = (NaiveBayes.from_summary(summary).predict_proba(rows) for summary in (here, there))
    np.testing.assert_allclose(one, other, atol=1e-10)


def test_rows_of_counts_are_collected_in_partitions(spark):
    frame = table(missing=False)[["visits", "wins", "label"]]
    assert collect(_there(spark, frame), "label", kinds="counts") == collect(frame, "label", kinds="counts")
    with pytest.raises(ParameterError, match="does not sum columns of the kind counts"):
        collect(_there(spark, frame), "label", kinds="counts", where="engine")


def test_models_of_spark(spark):
    frame = table().drop(columns="weight")
    model = NaiveBayes(kinds=KINDS).fit(_there(spark, frame), "label")
    assert model.summary_ == NaiveBayes(kinds=KINDS).fit(frame, "label").summary_


def test_labels_that_are_not_known(spark):
    frame = table()[["wait", "label"]]
    frame.loc[3, "label"] = None
    with pytest.raises(UnknownLabelsError, match="every row needs its class"):
        collect(_there(spark, frame), "label")


def test_the_page_says_what_spark_can(spark, tmp_path):
    from engines.capabilities import frame, lines_of_the_page, row

    assert row("PySpark", lambda: _there(spark, frame()), tmp_path) in lines_of_the_page()
