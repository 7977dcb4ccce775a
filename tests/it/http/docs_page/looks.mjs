// What a person sees and what a screen reader says.

/** Opens everything on the page that folds, and what that brings, until nothing is closed. */
export async function openAll(page) {
  await page.until("everything to be open", () => page.tab.evaluate(async () => {
    const closed = [...document.querySelectorAll("details:not([open])")];
    for (const details of closed) details.open = true;
    await new Promise(resolve => setTimeout(resolve, 100));
    return closed.length === 0;
  }));
}

/** How wide the page is, and how wide the screen. */
export const widths = page => page.tab.evaluate(() =>
  [document.documentElement.scrollWidth, document.documentElement.clientWidth]);

/** Inputs without a label, ids that are there twice, and buttons without a name. */
export const unnamed = page => page.tab.evaluate(() => {
  const inputs = [...document.querySelectorAll("input, select, textarea")].filter(input => !input.labels?.length);
  const ids = [...document.querySelectorAll("[id]")].map(one => one.id);
  const twice = ids.filter((id, at) => ids.indexOf(id) !== at);
  const buttons = [...document.querySelectorAll("button, a, summary")].filter(one => !one.textContent.trim());
  return [...inputs.map(one => one.id), ...twice, ...buttons.map(one => one.outerHTML)];
});

/** Text whose contrast with what lies behind it is below 4.5, which WCAG asks for. */
export const faint = page => page.tab.evaluate(() => {
  const channels = colour => colour.match(/[\d.]+/g).map(Number);
  const luminance = colour => {
    const [red, green, blue] = channels(colour).map(value => value / 255)
      .map(value => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const behind = one => {
    for (let place = one; place; place = place.parentElement) {
      const colour = getComputedStyle(place).backgroundColor;
      if ((channels(colour)[3] ?? 1) === 1) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const found = new Set();
  for (const one of document.querySelectorAll("body *")) {
    const isText = [...one.childNodes].some(child => child.nodeType === 3 && child.data.trim()) || one.matches("input, textarea, select");
    if (!isText || !one.checkVisibility() || one.disabled) continue;
    const [light, dark] = [getComputedStyle(one).color, behind(one)].map(luminance).sort((a, b) => b - a);
    const contrast = (light + 0.05) / (dark + 0.05);
    if (contrast < 4.5) found.add(`${one.tagName}.${one.className} ${contrast.toFixed(2)}: ${one.textContent.slice(0, 40)}`);
  }
  return [...found];
});
