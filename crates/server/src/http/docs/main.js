// The page: it reads the contract and makes a card of every call in it.

import { card } from "./card.js";
import { Contract } from "./contract.js";
import { onChange, showVersion } from "./caller.js";
import { el, prose } from "./dom.js";

const byId = id => document.getElementById(id);

/** Opens the call that the address names, and goes to it. */
function follow() {
  const named = byId(decodeURIComponent(location.hash.slice(1)));
  if (!named?.classList.contains("card")) return;
  if (named.hidden) filter("");
  named.open = true;
  named.scrollIntoView();
  named.firstChild.focus({ preventScroll: true });
}

/** Shows only the calls in which every word occurs. */
function filter(text) {
  byId("filter").value = text;
  const words = text.toLowerCase().split(/\s+/);
  for (const group of document.querySelectorAll("main section.group")) {
    const cards = [...group.querySelectorAll(":scope > .card")];
    for (const one of cards) one.hidden = !words.every(word => one.words.includes(word));
    group.hidden = cards.every(one => one.hidden);
  }
  for (const link of document.querySelectorAll("#contents a")) link.parentNode.hidden = byId(link.hash.slice(1)).hidden;
  byId("none").hidden = document.querySelector("main .card:not([hidden])") !== null;
}

function section(contract, group) {
  const cards = group.operations.map(operation => {
    const made = card(contract, operation);
    made.words = operation.words;
    // A reader who opens a card can send its address to somebody.
    made.addEventListener("toggle", () => made.open && history.replaceState(null, "", `#${operation.id}`));
    return made;
  });
  return el("section", { class: "group", "aria-labelledby": `tag-${group.name}` },
    el("h2", { id: `tag-${group.name}` }, group.name), el("p", {}, prose(group.description)), cards);
}

function contents(contract) {
  return contract.groups().map(group => [
    el("h2", {}, group.name),
    el("ul", {}, group.operations.map(one => el("li", {}, el("a", { href: `#${one.id}` },
      el("span", { class: `method ${one.method.toLowerCase()}` }, one.method), " ", one.id)))),
  ]);
}

async function start() {
  const contract = new Contract(await (await fetch("openapi.json")).json());
  byId("version").textContent = contract.document.info.version;
  byId("about").append(...prose(contract.document.info.description));
  byId("contents").append(...contents(contract).flat());
  byId("operations").replaceChildren(
    ...contract.groups().map(group => section(contract, group)),
    el("p", { id: "none", role: "status", hidden: true }, "No call has all of these words."));
  byId("filter").addEventListener("input", () => filter(byId("filter").value));
  byId("caller").addEventListener("submit", event => event.preventDefault());
  onChange(showVersion);
  addEventListener("hashchange", follow);
  follow();
}

start().catch(error => byId("operations").replaceChildren(el("p", {}, `/openapi.json could not be read: ${error}`)));
