// A swizzle as it is written in C: an expression of row and col, in whole numbers. / and % round down.

const TOKEN = /\s*(?:(0[xX][0-9a-fA-F]+|\d+)|([A-Za-z_]\w*)|(<<|>>|[-+*/%&^|()]))/y;
const BINARY = { "|": 1, "^": 2, "&": 3, "<<": 4, ">>": 4, "+": 5, "-": 5, "*": 6, "/": 6, "%": 6 };
const NAMES = ["row", "col"];
const LARGEST = 2 ** 31;

/**
 * Return a function of (row, col) for an expression such as "row*32 + ((col/8 ^ row/2%4) * 8) + col%8".
 * Throws an Error that says what is wrong and where.
 */
function compileExpression(text) {
  const tokens = tokenize(text);
  let place = 0;
  const fail = (what) => {
    const found = tokens[place];
    throw new Error(`${what} at character ${(found ? found.at : text.length) + 1} of "${text}"`);
  };

  function primary() {
    const token = tokens[place];
    if (!token) fail("the expression ends too early: a number, row, col or ( is missing");
    place += 1;
    if (token.number !== undefined) return () => token.number;
    if (token.name === "row") return (row) => row;
    if (token.name === "col") return (row, col) => col;
    if (token.sign === "-") {
      const operand = primary();
      return (row, col) => -operand(row, col);
    }
    if (token.sign === "(") {
      const inner = level(1);
      if (!tokens[place] || tokens[place].sign !== ")") fail("a ) is missing");
      place += 1;
      return inner;
    }
    place -= 1;
    return fail(`"${token.sign}" where a number, row, col or ( is due`);
  }

  function level(least) {
    let left = primary();
    while (tokens[place] && BINARY[tokens[place].sign] >= least) {
      const sign = tokens[place].sign;
      place += 1;
      const right = level(BINARY[sign] + 1);
      const before = left;
      left = (row, col) => applied(sign, before(row, col), right(row, col));
    }
    return left;
  }

  const whole = level(1);
  if (place < tokens.length) fail(`"${text.slice(tokens[place].at).trim()}" is left over`);
  return whole;
}

function tokenize(text) {
  const tokens = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    if (!match) throw new Error(`"${text.slice(at).trim()[0]}" at character ${at + 1} is no number, name or operator`);
    const [, number, name, sign] = match;
    if (name && !NAMES.includes(name)) throw new Error(`unknown name "${name}": an expression knows row and col`);
    tokens.push({ at, number: number === undefined ? undefined : Number(number), name, sign });
  }
  return tokens;
}

function applied(sign, left, right) {
  if ((sign === "/" || sign === "%") && right === 0) throw new Error(`division by 0 in ${left} ${sign} 0`);
  if (sign === "<<" || sign === ">>") {
    if (right < 0 || right > 31) throw new Error(`a shift by ${right}: 0 to 31 are allowed`);
    return checked(sign === "<<" ? left * 2 ** right : Math.floor(left / 2 ** right));
  }
  const found = {
    "+": () => left + right,
    "-": () => left - right,
    "*": () => left * right,
    "/": () => Math.floor(left / right),
    "%": () => left - right * Math.floor(left / right),
    "&": () => left & right,
    "^": () => left ^ right,
    "|": () => left | right,
  }[sign]();
  return checked(found);
}

function checked(value) {
  if (Math.abs(value) >= LARGEST) throw new Error(`${value} needs more than 32 bits`);
  return value;
}
