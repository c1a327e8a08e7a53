// Elements and controls of the page.

let controlCount = 0;

/** Make an element: attributes, listeners as onclick and so on, children as elements or text. */
function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== undefined && child !== null));
  return element;
}

/** Make a labelled control; `control` gets an id. */
function labelled(label, control, hint) {
  controlCount += 1;
  control.id = `control-${controlCount}`;
  return h("div", { class: "control" }, h("label", { for: control.id, title: hint }, label), control);
}

/** Make a choice: options are [value, words] or plain values. Calls `changed` with the value. */
function choice(label, changed, hint) {
  const control = h("select", { onchange: () => changed(control.value) });
  const holder = labelled(label, control, hint);
  return {
    holder,
    set(options, value, groups) {
      const option = (one) => {
        const [known, words] = Array.isArray(one) ? one : [one, one];
        return h("option", { value: known }, words);
      };
      const wanted = JSON.stringify([options, groups]);
      if (control.dataset.options !== wanted) {
        control.dataset.options = wanted;
        if (groups) control.replaceChildren(...groups.map(([name, list]) => h("optgroup", { label: name }, list.map(option))));
        else control.replaceChildren(...options.map(option));
      }
      control.value = value;
      control.disabled = control.options.length < 2;
    },
    show(visible) { holder.hidden = !visible; },
  };
}

/** Make a field of one line. Calls `changed` with the text as it is typed. */
function field(label, changed, { width = "6rem", type = "text", hint } = {}) {
  const control = h("input", { type, style: `width:${width}`, oninput: () => changed(control.value), autocomplete: "off", spellcheck: "false" });
  const holder = labelled(label, control, hint);
  return {
    holder, control,
    set(value) { if (document.activeElement !== control || control.value === "") control.value = value; },
    show(visible) { holder.hidden = !visible; },
  };
}

/** Make a button. */
function button(words, pressed, extra = {}) {
  return h("button", { type: "button", onclick: pressed, ...extra }, words);
}

/** Wrap a picture that the keyboard moves in: `keys` gets each key and says whether it knew it. */
function keyboardArea(label, keys) {
  return h("div", {
    class: "picture", tabindex: "0", role: "application", "aria-label": label,
    onkeydown: (event) => {
      if (!event.ctrlKey && !event.metaKey && !event.altKey && keys(event.key, event.shiftKey)) event.preventDefault();
    },
  });
}

/** Tell what is selected to those who cannot see it, once it stays for a moment. */
function speaker() {
  const element = h("p", { class: "spoken", role: "status", "aria-live": "polite" });
  let waiting = 0;
  return {
    element,
    say(words) {
      clearTimeout(waiting);
      waiting = setTimeout(() => { if (element.textContent !== words) element.textContent = words; }, 120);
    },
  };
}

/** Call `tick` every so often until it returns false; returns how to stop. A slow page shows each step as long. */
function playing(milliseconds, tick) {
  let timer = 0;
  const next = () => { timer = setTimeout(() => { if (tick()) next(); }, milliseconds); };
  next();
  return () => clearTimeout(timer);
}
