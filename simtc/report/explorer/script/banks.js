// Banks: in how many wavefronts a warp's shared-memory access is served, and which lanes collide. Shared memory has 32
// banks of four bytes; in one wavefront every bank gives one word. Only lanes of one phase can collide.

const PHASE_LANES = { 32: 32, 64: 16, 128: 8 }; // of a whole warp's words, as many as fill a wavefront

/**
 * Return an access: {addresses, width, store, matrix, phases}. An address is null where a lane is inactive. A phase is
 * {lanes, wavefronts}, a wavefront a list of {bank, word, lanes, depth}: depth is how many words are wanted of the bank
 * in this phase. Throws an Error that says what cannot be.
 */
function makeAccess({ addresses, width, store, matrix }) {
  if (!PHASE_LANES[width]) throw new Error(`an access is 32, 64 or 128 bits wide, not ${width}`);
  if (matrix && (![8, 16, 32].includes(addresses.length) || addresses.includes(null) || width !== 128)) {
    throw new Error(`ldmatrix takes the addresses of 8, 16 or 32 rows of 128 bits, not ${addresses.length}`);
  }
  if (addresses.length > 32) throw new Error(`a warp has 32 lanes, not ${addresses.length} addresses`);
  addresses.forEach((address, lane) => {
    if (address !== null && (address < 0 || address % (width / 8))) {
      throw new Error(`lane ${lane}: address ${address} is not a multiple of ${width / 8} bytes, or below 0`);
    }
  });
  const access = { addresses, width, store, matrix };
  const phases = groupsOf(access).filter((lanes) => lanes.length).map((lanes) => servedPhase(access, lanes));
  return { ...access, phases };
}

function groupsOf({ addresses, width, store, matrix }) {
  let size = PHASE_LANES[width];
  // Where neighbours read the same place, two phases' words fit one wavefront.
  if (!matrix && !store && width > 32 && (readsInPairs(addresses, 1) || readsInPairs(addresses, 2))) size *= 2;
  const groups = Array.from({ length: 32 / size }, () => []);
  addresses.forEach((address, lane) => {
    if (address !== null) groups[Math.floor(lane / size)].push(lane);
  });
  return groups;
}

function readsInPairs(addresses, distance) {
  for (let lane = 0; lane < 32; lane += 1) {
    const mine = addresses[lane] ?? null;
    const other = addresses[lane ^ distance] ?? null;
    if (mine !== other && mine !== null && other !== null) return false;
  }
  return true;
}

function servedPhase({ addresses, width }, lanes) {
  const wanted = new Map(); // bank -> word -> lanes
  for (const lane of lanes) {
    const first = Math.floor(addresses[lane] / 4);
    for (let word = first; word < first + width / 32; word += 1) {
      const bank = word % DATA.banks.banks;
      if (!wanted.has(bank)) wanted.set(bank, new Map());
      const words = wanted.get(bank);
      if (!words.has(word)) words.set(word, []);
      words.get(word).push(lane);
    }
  }
  const wavefronts = [];
  for (const bank of [...wanted.keys()].sort((one, other) => one - other)) {
    const words = [...wanted.get(bank).entries()].sort(([one], [other]) => one - other);
    words.forEach(([word, sharing], turn) => {
      if (!wavefronts[turn]) wavefronts[turn] = [];
      wavefronts[turn].push({ bank, word, lanes: sharing, depth: words.length });
    });
  }
  return { lanes, wavefronts };
}

/** Return {wavefronts, ideal, excess} of an access. */
function costOf(access) {
  const wavefronts = access.phases.reduce((sum, phase) => sum + phase.wavefronts.length, 0);
  return { wavefronts, ideal: access.phases.length, excess: wavefronts - access.phases.length };
}

/** Name an access as SASS does: LDS.64, STS.128, LDSM.x4. */
function accessName({ addresses, width, store, matrix }) {
  if (matrix) return `${store ? "STSM" : "LDSM"}.x${addresses.length / 8}`;
  return `${store ? "STS" : "LDS"}.${width}`;
}

/** Return the addresses of lanes in rows: `inRow` of them side by side, rows `pitch` bytes apart; or of matrix rows. */
function pitchAddresses(pitch, inRow, width, matrices) {
  if (matrices) return [...Array(8 * matrices).keys()].map((lane) => (lane % 8) * pitch + Math.floor(lane / 8) * 16);
  return [...Array(32).keys()].map((lane) => Math.floor(lane / inRow) * pitch + (lane % inRow) * (width / 8));
}

/** Read addresses as typed: 128, 0x80, or - for an inactive lane. Throws an Error for anything else. */
function readAddresses(text) {
  return text.trim().split(/[,\s]+/).filter(Boolean).map((word) => {
    if (word === "-") return null;
    if (!/^(0[xX][0-9a-fA-F]+|\d+)$/.test(word)) {
      throw new Error(`"${word}" is no byte address: write 128, 0x80 or, for an inactive lane, -`);
    }
    return Number(word);
  });
}
