// Colours: one set of CSS variables for light or dark paper and for either palette. Pictures name the variables only.

const THEMES = {
  light: { paper: "#ffffff", ink: "#1b2430", faint: "#566270", line: "#ccd4dc", empty: "#f0f3f6", accent: "#0a6384", alarm: "#b3261e" },
  dark: { paper: "#12171e", ink: "#e9eef4", faint: "#a3b0bd", line: "#3a4653", empty: "#1d252f", accent: "#6cc7ee", alarm: "#ff9a8f" },
};
// Eight hues told apart at a glance; the safe ones are Okabe's and Ito's, told apart with any colour vision.
const HUES = {
  standard: ["4e79a7", "f28e2b", "59a14f", "d8565b", "2fa3a0", "d9b526", "a06bb0", "9a6a4f"],
  safe: ["0072b2", "e69f00", "009e73", "d55e00", "56b4e9", "f0e442", "cc79a7", "999999"],
};
const STRENGTHS = { light: [0.22, 0.36, 0.5, 0.62], dark: [0.2, 0.27, 0.34, 0.42] };
const DEPTHS = { standard: ["2f9e6e", "f4b942", "ee7b30", "cf3a2b", "8e1b3d"], safe: ["56b4e9", "f0e442", "e69f00", "d55e00", "7a2f00"] };

function mixed(color, paper, strength) {
  const part = (text, at) => parseInt(text.replace("#", "").slice(at, at + 2), 16);
  const channel = (at) => Math.round(part(paper, at) + (part(color, at) - part(paper, at)) * strength);
  return `#${[0, 2, 4].map((at) => channel(at).toString(16).padStart(2, "0")).join("")}`;
}

/** Return all variables of a theme (light, dark) and a palette (standard, safe), by name. */
function colorVariables(theme, palette) {
  const base = THEMES[theme];
  const hues = HUES[palette];
  const out = { ...base };
  const strengths = STRENGTHS[theme];
  for (let lane = 0; lane < 32; lane += 1) out[`lane-${lane}`] = mixed(hues[lane >> 2], base.paper, strengths[lane & 3]);
  hues.forEach((hue, i) => {
    out[`hue-${i}`] = mixed(hue, base.paper, theme === "light" ? 0.45 : 0.42);
    out[`step-${i}`] = mixed(hue, base.paper, theme === "light" ? 0.4 : 0.42);
    out[`strong-${i}`] = mixed(hue, base.ink, 0.8);
  });
  DEPTHS[palette].forEach((hue, i) => {
    out[`depth-${i}`] = mixed(hue, base.paper, theme === "light" ? [0.35, 0.55, 0.55, 0.55, 0.55][i] : [0.4, 0.42, 0.5, 0.6, 0.75][i]);
  });
  for (const [cause, color] of Object.entries(DATA.cause_colors[palette])) out[`cause-${cause}`] = base[color] || color;
  return out;
}

/** Return the variable that colours conflicts of a depth: 1 word of a bank is none, 2, 3 to 4, 5 to 8, and more. */
function depthColor(depth) {
  return `var(--depth-${Math.min(4, Math.ceil(Math.log2(depth)))})`;
}

let currentColors = colorVariables("light", "standard");

/** Put a theme and a palette on the page. */
function applyColors(theme, palette) {
  currentColors = colorVariables(theme, palette);
  const root = document.documentElement;
  root.dataset.theme = theme;
  for (const [name, value] of Object.entries(currentColors)) root.style.setProperty(`--${name}`, value);
}

/** Return text with every var(--name) replaced by its colour: what leaves the page must stand alone. */
function resolveColors(text) {
  return text.replace(/var\(--([\w-]+)\)/g, (all, name) => currentColors[name] || all);
}
