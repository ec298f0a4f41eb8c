"""API schemas of what accompanies the figures of an evaluation: the headline, READS' tables, and the slices."""

from typing import Literal, TypeAlias

from ninja import Schema

Case: TypeAlias = Literal["C1", "C2", "E1", "E2", "E3"]


class IntervalOut(Schema):
    """A 95 % bootstrap interval."""

    low: float
    high: float


class HeadlineFigureOut(Schema):
    """One of the four figures that tell most; see `reasoning.evaluation.reporting.full_report.headline`."""

    name: Literal["hits_at_1", "macro_f1", "hits_at_1_in_graph", "graph_hits"]
    questions: int
    value: float
    low: float
    high: float


class RuleFigureOut(Schema):
    """A figure by the rules of a published script; see `reasoning.evaluation.rules`."""

    rules: str
    title: str
    """The script's name."""
    questions: int
    """How many the script counts."""
    figure: str
    value: float
    """A share of 1, not rounded. By some rules it may exceed 1."""
    printed: str
    """The same as the script prints it."""
    our_figure: str
    """Our figure to compare it with; empty if there is none."""
    ours: float | None
    """Of all questions."""


class DistancesOut(Schema):
    """How near the search came to gold structures."""

    relation_recall: float | None
    edit_distance: float | None
    edge_distance: float | None
    """The edit distance of edges alone; None in outcomes from before it was recorded."""


class StructureCellOut(DistancesOut):
    """The same for the questions whose gold structure has this number of leaves and edges."""

    leaves: int
    edges: int
    questions: int


class StructureCellsOut(Schema):
    """READS' Table 2."""

    cells: list[StructureCellOut]
    mean_of_cells: DistancesOut
    """Each cell weighs the same, as in the paper."""
    mean: DistancesOut
    """Each question weighs the same."""


class RequestsOut(Schema):
    """READS' Table 6: what a stage asked of the model."""

    stage: Literal["link", "search", "prune", "infer", "all"]
    calls_per_question: float
    tokens_in_per_question: float
    tokens_out_per_question: float
    tokens_in_per_call: float | None
    tokens_out_per_call: float | None


class GroupFiguresOut(Schema):
    """How well a group of questions is answered."""

    questions: int
    hits_at_1: float
    exact_match: float
    macro_f1: float


class SizeOut(GroupFiguresOut):
    """Those whose S_k or G_k has such a size; of G_k from this size on, up to the next."""

    size: int


class LevelOut(GroupFiguresOut):
    """Those of a level of GrailQA."""

    level: str


class MeanSizesOut(Schema):
    """How large S_k and G_k are on average."""

    structure_edges: float | None
    graph_facts: float | None
    graph_nodes: float | None


class GraphHitsOut(Schema):
    """The share of questions where the search brought in a gold answer."""

    all: float | None
    """Of all that the benchmark has an answer to, as the paper counts it."""
    in_graph: float | None


class CasesOut(Schema):
    """Error classes."""

    all: dict[Case, int]
    """Of all questions that the benchmark has an answer to; that the graph lacks it is a failed search."""
    in_graph: dict[Case, int]


class PaperF1Out(Schema):
    """READS' F1 by two conventions; see `reasoning.evaluation.reporting.reads_tables.empty_as_zero`."""

    empty: int
    """The number of questions with a gold answer for which none was found."""
    f1_empty_as_one: float
    f1_empty_as_zero: float
    precision_empty_as_zero: float


class PaperF1sOut(Schema):
    """The same of all questions, and of those with an answer in the graph."""

    all: PaperF1Out | None
    in_graph: PaperF1Out | None


class ReadsTablesOut(Schema):
    """The tables of READS' evaluation; see `reasoning.evaluation.reporting.reads_tables`."""

    structures: StructureCellsOut | None
    requests: list[RequestsOut] | None
    structure_sizes: list[SizeOut]
    graph_sizes: list[SizeOut]
    mean_sizes: MeanSizesOut
    graph_hits: GraphHitsOut
    cases: CasesOut
    levels: list[LevelOut]
    paper: PaperF1sOut


class SliceOut(Schema):
    """Questions that have something in common."""

    kind: Literal["relation", "domain", "shape", "linking", "word"]
    value: str
    """A name or a word; of a shape leaves and hops, ``2-1``; of linking ``right`` or ``wrong``."""
    questions: int
    hits_at_1: float
    hits_at_1_interval: IntervalOut
    macro_f1: float
    macro_f1_interval: IntervalOut


class ConfusedOut(Schema):
    """A gold relation, and the one that was chosen in its stead."""

    gold: str
    chosen: str
    questions: int


class SlicesOut(Schema):
    """The worst slices of the questions with an answer in the graph; see `reasoning.evaluation.reporting.slices`."""

    questions: int
    hits_at_1: float | None
    macro_f1: float | None
    fewest: int
    """Slices with fewer questions are small, and stand apart."""
    worst: list[SliceOut]
    worst_of: int
    small: list[SliceOut]
    small_of: int
    confused: list[ConfusedOut]
    confused_of: int
    """The number of all pairs."""
    confused_questions: int
