// Numbers drawn from a seed: the same questions for the same seed, on every machine (mulberry32).

/** Return a function that draws the next number, 0 <= x < 1. */
function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Draw one of a list. */
function drawOne(random, list) {
  return list[Math.floor(random() * list.length)];
}

/** Return a list in another order. */
function shuffled(random, list) {
  const out = [...list];
  for (let last = out.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [out[last], out[other]] = [out[other], out[last]];
  }
  return out;
}
