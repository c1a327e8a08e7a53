// How one element of D comes to be: which places of which lanes, in which fused steps, in which order.

/**
 * Return the provenance of D[row, col]: d and c, the places of the result and of C, and the steps, each a list of
 * products {k, a, b} with the places that the tensor core reads. `fragments` has d, a, b, c of one instruction; b is
 * undefined for wgmma, which reads it from shared memory.
 */
function provenanceOf(fragments, row, col) {
  const { a, b, c, d } = fragments;
  const target = holdersOf(d, row, col)[0];
  const steps = d.instruction.steps.map((step) =>
    step.map((k) => ({
      k,
      a: nearest(holdersOf(a, row, k), target),
      b: b && nearest(holdersOf(b, k, col), target),
    })),
  );
  return { d: target, c: holdersOf(c, row, col)[0], steps };
}

/** Return the holder in the target's own quad pair: on Volta a quad pair reads no other's registers. */
function nearest(holders, target) {
  return holders.find((one) => quadPairOf(one.lane) === quadPairOf(target.lane)) || holders[0];
}

/** Return the step, from 0, in which element k of a row of A meets the same of a column of B. */
function stepOf(instruction, k) {
  return instruction.steps.findIndex((step) => step.includes(k));
}

/** Return what a step does, as `simtc layout --explain` says it. */
function stepWords(instruction, number, products, row, col) {
  const what = products === 1 ? "the product" : `${products} products`;
  const c = instruction.first === "0" ? "0" : `C[${row},${col}]`;
  const before = number === 0 ? c : `the result of step ${number}`;
  return `${what} and ${before}${instruction.how ? `, ${instruction.how}` : ""}`;
}
