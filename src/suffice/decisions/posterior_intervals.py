"""Stage 4, how sure a posterior is: credible intervals of P(class | row), from draws of the parameters.

In:  an uncertain model, a table. Out: lower and upper ends (N, K), of classes or of components. Rows go in blocks, and
     every block sees the same draws, so that memory does not grow with the number of rows or draws.
"""

from copy import deepcopy

import numpy as np

from suffice.arrays import Array, log, row_blocks, softmax
from suffice.data.blocks import cut
from suffice.data.table import Table
from suffice.families.protocol import Block
from suffice.model.joint import Joint
from suffice.model.uncertainty import Uncertain
from suffice.options import Seed, generator


def intervals(
    model: Uncertain, table: Table, unseen: str, level: float, draws: int, seed: Seed, of_classes: bool = True
) -> tuple[Array, Array]:
    joint, blocks = model.joint, cut(table, model.joint.schema, unseen)
    width = len(joint.classes if of_classes else joint.prevalence)
    out, start = np.empty((2, table.rows, width)), generator(seed)
    for rows in row_blocks(table.rows, draws * width // 8 + 1):
        rng, cells = deepcopy(start), blocks[rows]
        blocks.check(rows)
        found = np.stack([_posterior(model.draw(rng), cells, of_classes) for _ in range(draws)])
        out[:, rows] = np.quantile(found, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return out[0], out[1]


def _posterior(joint: Joint, blocks: tuple[Block, ...], of_classes: bool) -> Array:
    log_joint = log(joint.prevalence) + joint.density.log_density(blocks)
    return softmax(joint.by_class(log_joint) if of_classes else log_joint)
