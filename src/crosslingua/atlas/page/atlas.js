// Search, filters, sorting, views and links of the atlas. Without it the page is a plain table whose links open cards.
"use strict";
const $ = (id) => document.getElementById(id);
const table = $("pairs_table"), bodies = [...table.tBodies], filters = [...document.querySelectorAll("#filters select[name]")];
const boxes = [...document.querySelectorAll("#controls input[type=radio]")];
const heads = [...table.tHead.rows[0].cells], order = ["aligned", "joint", "joint then mapped", "both"];
const plain = (text) => text.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "");
const wordsOf = (text) => plain(text).split(/[^\p{L}\p{N}_]+/u).filter(Boolean);

// Search: each word is a code of a language or begins a word of the pair's names, in any order.
const codes = new Set(bodies.flatMap((body) => body.dataset.codes.split("|")).map(plain));
function native(code) {
  try { return new Intl.DisplayNames([code], { type: "language" }).of(code); } catch { return ""; }
}
const known = new Map(bodies.map((body) => {
  const own = body.dataset.codes.split("|");
  return [body, { codes: own.map(plain), words: wordsOf([body.dataset.search, ...own.map(native)].join(" ")) }];
}));
function sought(body, words) {
  const own = known.get(body);
  return words.every((word) => codes.has(word) ? own.codes.includes(word) : own.words.some((one) => one.startsWith(word)));
}

function show() {
  const words = wordsOf($("sought").value).filter((word) => !["to", "into", "and", "from"].includes(word));
  const counts = {};
  let left = 0;
  for (const body of bodies) {
    const fits = sought(body, words) && filters.every(({ name, value }) => !value || body.dataset[name].split("|").includes(value));
    body.hidden = !fits;
    document.querySelector(`[data-pair="${CSS.escape(body.id)}"]`)?.classList.toggle("out", !fits);
    if (fits) { left += 1; counts[value(body, "best")] = (counts[value(body, "best")] ?? 0) + 1; }
  }
  for (const place of document.querySelectorAll("[data-count]")) place.textContent = counts[place.dataset.count] ?? 0;
  const told = bodies.filter((body) => !body.hidden && left <= 2).map((body) =>
    `. ${value(body, "pair")}, ${body.dataset.domain}: ${value(body, "best") ?? "not measured"}`);
  $("shown").textContent = `${left} of ${bodies.length} pairs${told.join("")}`;
  $("none").hidden = left > 0;
}

// The value of a column in the chosen view.
function value(body, key) {
  const cell = body.rows[0].cells[heads.findIndex((head) => head.dataset.key === key)];
  return cell.dataset.value ?? cell.querySelector(`.v${document.body.dataset.view}`)?.dataset.value;
}
let sorting = { key: "pair", down: false };
function sort(key, down) {
  sorting = { key, down };
  const rank = (body) => key === "best" ? (order.indexOf(value(body, key)) + 1 || 9) : key === "pair" ? value(body, key) : Number(value(body, key) ?? -1);
  const compare = (a, b) => typeof a === "string" ? a.localeCompare(b, "en") : a - b;
  table.append(...bodies.sort((a, b) => (down ? -1 : 1) * compare(rank(a), rank(b)) || compare(value(a, "pair"), value(b, "pair"))));
  for (const head of heads) head.setAttribute("aria-sort", head.dataset.key !== key ? "none" : down ? "descending" : "ascending");
  $("sort").value = key;
}
const largest = (key) => !["pair", "best"].includes(key);  // such columns begin with the largest
for (const head of heads) {
  const button = document.createElement("button");
  button.type = "button";
  button.append(...head.childNodes);
  head.append(button);
  button.addEventListener("click", () => { sort(head.dataset.key, sorting.key === head.dataset.key ? !sorting.down : largest(head.dataset.key)); keep(); });
}
$("sort").addEventListener("input", ({ target }) => { sort(target.value, largest(target.value)); keep(); });

function look() {
  const chosen = [...document.querySelectorAll("#controls input:checked")].reduce((sum, { value }) => sum + Number(value), 0);
  document.body.dataset.view = chosen;
  sort(sorting.key, sorting.down);
  show();
}
function clear() {
  for (const field of [$("sought"), ...filters]) field.value = "";
  keep();
}
// An address keeps search, filters, view and order: ?sought=fi+hu&sort=-both#fi-hu
function keep() {
  const chosen = [$("sought"), ...filters].filter(({ value }) => value).map((field) => [field.name || field.id, field.value]);
  const views = boxes.filter((box) => box.checked && !box.defaultChecked).map(({ name, value }) => [name, value]);
  const sorted = sorting.key === "pair" && !sorting.down ? [] : [["sort", `${sorting.down ? "-" : ""}${sorting.key}`]];
  const asked = new URLSearchParams([...chosen, ...views, ...sorted]).toString();
  history.replaceState(null, "", `${asked ? `?${asked}` : location.pathname}${location.hash}`);
  show();
}
function read() {
  const asked = new URLSearchParams(location.search), key = asked.get("sort")?.replace(/^-/, "");
  for (const field of [$("sought"), ...filters]) field.value = asked.get(field.name || field.id) ?? "";
  for (const box of boxes) if (asked.has(box.name)) box.checked = asked.get(box.name) === box.value;
  if (heads.some((head) => head.dataset.key === key)) sorting = { key, down: asked.get("sort").startsWith("-") };
}
boxes.forEach((field) => field.addEventListener("input", () => { look(); keep(); }));
[$("sought"), ...filters].forEach((field) => field.addEventListener("input", keep));
$("clear").addEventListener("click", clear);
const open = (body) => { location.hash = `#${encodeURIComponent(body.id)}`; };
$("controls").addEventListener("submit", (event) => {
  event.preventDefault();
  const first = bodies.find((body) => !body.hidden);
  if (first) open(first);
});

// Cards: a click on a row opens its card, another closes it; #hu-fi opens the pair in either direction.
table.addEventListener("click", (event) => {
  const row = event.target.closest("tr.row");
  if (!row || event.ctrlKey || event.metaKey || event.shiftKey || String(getSelection())) return;
  event.preventDefault();
  if (row.parentElement.matches(":target")) location.hash = "#closed";
  else open(row.parentElement);
});
function follow() {
  let name = location.hash.slice(1);
  try { name = decodeURIComponent(name); } catch { /* no encoded text: looked up as it stands */ }
  let target = $(name);
  const wanted = plain(name).split("-");
  if (name && !target) {
    const body = bodies.find((one) => wanted.length === 2 && wanted[0] !== wanted[1] && wanted.every((code) => known.get(one).codes.includes(code)));
    if (body) { location.replace(`#${encodeURIComponent(body.id)}`); target = body; }
  }
  if (target?.hidden && bodies.includes(target)) { clear(); target.scrollIntoView(); }
  for (const body of bodies) body.querySelector("th a").setAttribute("aria-expanded", body === target);
}
addEventListener("hashchange", follow);

$("controls").hidden = false;
$("filters").open = matchMedia("(min-width: 56rem)").matches;
document.documentElement.classList.add("js");
read();
look();
follow();
