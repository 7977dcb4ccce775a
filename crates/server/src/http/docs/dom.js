// Elements and text. Nothing here or elsewhere on the page parses HTML, so no text can become markup.

/**
 * Makes an element. An attribute that is true stands alone, one that is false or absent is left out, and a function
 * listens to the event after `on`.
 */
export function el(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== undefined && value !== null) made.setAttribute(key, value);
  }
  made.append(...children.flat(Infinity).filter(child => child !== undefined && child !== null && child !== false));
  return made;
}

/** Text of the contract, whose code stands between back-ticks, as nodes. */
export function prose(text = "") {
  const parts = text.split("`");
  // A back-tick without a second one is only a back-tick.
  if (parts.length % 2 === 0) parts.push("`" + parts.splice(-1));
  return parts.map((part, at) => (at % 2 ? el("code", {}, part) : part));
}

/** A part of the page that is closed at first. `fill` makes its content when it is opened for the first time. */
export function folded(title, fill, attributes = {}) {
  const box = el("div", { class: "inside" });
  const details = el("details", attributes, el("summary", {}, title), box);
  let isFilled = false;
  details.addEventListener("toggle", () => {
    if (!details.open || isFilled) return;
    isFilled = true;
    box.append(...[fill()].flat(Infinity));
  });
  return details;
}

/** A button that copies a text and says that it did. */
export function copier(label, text) {
  const button = el("button", { type: "button", class: "quiet" }, label);
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(await text());
      button.textContent = "Copied";
    } catch {
      // Pages without TLS on another machine have no clipboard.
      button.textContent = "Select the text and copy it";
    }
    setTimeout(() => { button.textContent = label; }, 2000);
  });
  return button;
}

/** A number of bytes for people. */
export function size(bytes) {
  if (bytes < 1024) return `${bytes} ${bytes === 1 ? "byte" : "bytes"}`;
  const unit = bytes < 1 << 20 ? "KiB" : "MiB";
  return `${(bytes / (unit === "KiB" ? 1024 : 1 << 20)).toFixed(1)} ${unit}`;
}
