"""The attention-like kernels of the corpus: two matrix products, with exponentials and row sums between them."""

from __future__ import annotations

from simtc.validate.corpus.knobs import Knobs

__all__ = ["attention"]

_MMA = "mma_m16n8k16_f32_f16_f16_f32"


def attention(knobs: Knobs) -> tuple[list[str], list[str]]:
    """Return the registers of the loop, and an iteration: scores, their exponentials, sums of values.

    A warp has 16 queries. Tile 0 holds keys, tile 1 values; LDSM.x4 gives B of two products of 16 by 8 by 16.
    """
    keys, values = (2 * tile.fragments for tile in knobs.tiles)  # halves of a fragment: B of one product each
    deep = 2 if keys >= 8 else 1  # steps of k of a score
    scores = keys // deep
    wide = min(values, 8)  # tiles of eight columns of the output
    state = [
        f"unsigned q[{4 * deep}], o[{8 * knobs.tiles[1].fragments}] = {{}};",
        "float most0 = -1e30f, most1 = -1e30f, total = 0.f;",
        f"for (int j = 0; j < {4 * deep}; j++) q[j] = 0x38003400u + lane * 0x10001u + j;",
    ]
    body = [f"unsigned s[{4 * scores}] = {{}};"]
    for j in range(scores):
        for step in range(deep):
            sums = ", ".join(f"s[{4 * j + i}]" for i in range(4))
            query = ", ".join(f"q[{4 * step + i}]" for i in range(4))
            b = 2 * (j * deep + step)
            body.append(f"{_MMA}({sums}, {query}, f0[{b}], f0[{b + 1}]);")
    return state, [*body, *_softmax(scores, wide), *_output(scores, wide, values)]


def _softmax(scores: int, wide: int) -> list[str]:
    """Return what makes exponentials of scores, in step with the greatest so far."""
    return [
        f"float p[{4 * scores}], high0 = most0, high1 = most1;",
        f"for (int j = 0; j < {4 * scores}; j++) p[j] = __uint_as_float(s[j]) * 0.125f;",
        (
            f"for (int j = 0; j < {scores}; j++) {{ high0 = fmaxf(high0, fmaxf(p[4 * j], p[4 * j + 1]));"
            " high1 = fmaxf(high1, fmaxf(p[4 * j + 2], p[4 * j + 3])); }"
        ),
        *(f"high{r} = fmaxf(high{r}, __shfl_xor_sync(~0u, high{r}, {x}));" for x in (1, 2) for r in (0, 1)),
        "const float less0 = ex2(most0 - high0), less1 = ex2(most1 - high1); most0 = high0; most1 = high1;",
        "float sum = 0.f;",
        f"for (int j = 0; j < {4 * scores}; j++) {{ p[j] = ex2(p[j] - (j & 2 ? high1 : high0)); sum += p[j]; }}",
        *(f"sum += __shfl_xor_sync(~0u, sum, {x});" for x in (1, 2)),
        "total = total * less0 + sum;",
        (
            f"for (int j = 0; j < {4 * wide}; j++)"
            " o[j] = __float_as_uint(__uint_as_float(o[j]) * (j & 2 ? less1 : less0));"
        ),
        f"unsigned e[{2 * scores}];",
        f"for (int j = 0; j < {2 * scores}; j++) e[j] = pack(p[2 * j], p[2 * j + 1]);",
    ]


def _output(scores: int, wide: int, values: int) -> list[str]:
    """Return the sums of values, weighed by those exponentials."""
    body = []
    for step in range(max(1, scores // 2)):
        left = [f"e[{(4 * step + i) % (2 * scores)}]" for i in range(4)]
        for j in range(wide):
            b = 2 * ((step * wide + j) % values)
            sums = ", ".join(f"o[{4 * j + i}]" for i in range(4))
            body.append(f"{_MMA}({sums}, {', '.join(left)}, f1[{b}], f1[{b + 1}]);")
    return body
