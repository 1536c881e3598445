// The page's program: charts as they come into sight, sortable tables, filters, tabs, word search, explanations.
const data = JSON.parse(document.getElementById("data").textContent);
const dark = matchMedia("(prefers-color-scheme: dark)");

// Run a library that waits in the page as text: large ones only where they are needed. The page's policy has its hash.
function run(id) {
  const script = document.createElement("script");
  script.textContent = document.getElementById(id).textContent;
  document.head.append(script);
}

// Charts.
const views = new Map();
function theme() {
  const text = getComputedStyle(document.body).color, quiet = dark.matches ? "#3a434d" : "#d0d7de";
  return {
    background: "transparent", font: "system-ui, sans-serif", view: { stroke: quiet },
    axis: { labelColor: text, titleColor: text, gridColor: quiet, domainColor: quiet, tickColor: quiet, labelFontSize: 12 },
    legend: { labelColor: text, titleColor: text, labelFontSize: 12 }, title: { color: text }, text: { color: text }, rule: { color: text },
  };
}
// On dark ground the lighter of each pair of colours.
const lighter = { "#0072B2": "#56B4E9", "#D55E00": "#ff9c61", "#009E73": "#3fcf9f", "#999999": "#a3abb5" };
function coloured(spec) {
  return dark.matches ? JSON.parse(JSON.stringify(spec).replace(/#[0-9A-F]{6}/g, (name) => lighter[name] ?? name)) : spec;
}
async function draw(place) {
  const spec = data.charts[place.id];
  if (!spec || !spec.$schema) return;
  if (!window.vegaEmbed) run("charts_script");
  // Expressions are interpreted (ast), and styles are the page's own: its policy allows no others.
  const how = { ast: true, defaultStyle: false, tooltip: { disableDefaultStyle: true } };
  const { view } = await window.vegaEmbed(place, coloured(spec), { ...how, actions: false, renderer: "svg", config: theme(), loader: { target: "_self" }, logLevel: 1 });
  views.set(place.id, view);
  place.dataset.drawn = "1";
  place.dispatchEvent(new Event("drawn"));
}
const sight = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) if (isIntersecting) { sight.unobserve(target); draw(target); }
}, { rootMargin: "400px" });
document.querySelectorAll(".chart").forEach((place) => sight.observe(place));
dark.addEventListener("change", () => document.querySelectorAll(".chart[data-drawn]").forEach(draw));

// Tables: sortable by the first number of a cell.
function sortable(table, options = {}) {
  if (table.dataset.sortable || table.closest("[hidden]")) return;
  table.dataset.sortable = "1";
  if (!window.DataTable) run("tables_script");
  for (const cell of table.querySelectorAll("tbody td")) {
    const value = parseFloat(cell.textContent.replace("−", "-"));
    cell.dataset.order = Number.isNaN(value) ? cell.textContent.trim() || "-1e9" : value;
  }
  return new window.DataTable(table, { paging: false, info: false, searching: false, order: [], ...options });
}
const shown = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) if (isIntersecting) { shown.unobserve(target); sortable(target); }
}, { rootMargin: "200px" });
document.querySelectorAll(".paper .scroll table").forEach((table) => table.tHead && shown.observe(table));

// What scrolls can be reached by keyboard.
for (const [place, box] of document.querySelectorAll(".scroll").entries()) {
  const title = `${box.closest("section")?.querySelector("h2, h3")?.textContent ?? ""}, table ${place + 1}`;
  Object.entries({ tabindex: 0, role: "region", "aria-label": title }).forEach(([name, value]) => box.setAttribute(name, value));
}

// A link to each section, table, figure and statement stands beside its name.
for (const place of document.querySelectorAll("main [id]")) {
  const name = place.querySelector(":scope > h2, :scope > h3, :scope > figcaption, :scope > td");
  if (!name) continue;
  const link = Object.assign(document.createElement("a"), { className: "anchor", href: `#${encodeURIComponent(place.id)}`, textContent: "#" });
  link.setAttribute("aria-label", `Link to ${place.id.replaceAll("_", " ")}`);
  name.append(" ", link);
}

// Statements: filters by paper, verdict, measure, and words. The address keeps them: #verdict=reproduced&find=joint
const statements = document.getElementById("statements_table");
if (statements) {
  const filters = [...document.querySelectorAll("#filters select")], words = document.getElementById("find_statement");
  const count = document.getElementById("statements_shown");
  const fields = [...filters, words];
  // The picture shows the paper that is chosen, and stays as high for each statement.
  const narrow = () => {
    const { datasets, height } = data.charts.forest ?? {}, view = views.get("forest");
    if (!view) return;
    const paper = filters.find(({ name }) => name === "paper").value, all = Object.values(datasets).flat().filter((row) => row.paper);
    const rows = all.filter((row) => !paper || row.paper === paper);
    view.signal("paper", paper).height(height / all.length * Math.max(1, rows.length)).runAsync();
  };
  document.getElementById("forest")?.addEventListener("drawn", narrow);
  const filter = () => {
    let left = 0;
    for (const row of statements.tBodies[0].rows) {
      const fits = filters.every(({ name, value }) => !value || row.dataset[name] === value)
        && row.textContent.toLowerCase().includes(words.value.toLowerCase());
      row.hidden = !fits;
      left += fits;
    }
    narrow();
    count.textContent = `${left} of ${statements.tBodies[0].rows.length} statements`;
  };
  const keep = () => {
    const chosen = new URLSearchParams(fields.filter(({ value }) => value).map(({ name, value }) => [name, value]));
    history.replaceState(null, "", `#${chosen.size ? chosen : "statements"}`);
    filter();
  };
  const read = () => {
    const chosen = new URLSearchParams(location.hash.slice(1));
    if (!fields.some(({ name }) => chosen.has(name))) return;
    for (const field of fields) field.value = chosen.get(field.name) ?? "";
    filter();
    document.getElementById("filters").scrollIntoView();
  };
  fields.forEach((field) => field.addEventListener("input", keep));
  addEventListener("hashchange", read);
  filter();
  sortable(statements);
  read();
}

// Papers, a tab each; a link to anything inside opens its tab and what is folded.
const tabs = [...document.querySelectorAll("[role=tab]")];
function open(tab, focus = false) {
  for (const each of tabs) {
    const chosen = each === tab;
    each.setAttribute("aria-selected", chosen);
    each.tabIndex = chosen ? 0 : -1;
    document.getElementById(each.getAttribute("aria-controls")).hidden = !chosen;
  }
  if (focus) tab.focus();
}
tabs.forEach((tab, place) => {
  tab.addEventListener("click", () => { open(tab); history.replaceState(null, "", `#${tab.getAttribute("aria-controls")}`); });
  tab.addEventListener("keydown", ({ key }) => {
    const next = { ArrowRight: place + 1, ArrowLeft: place - 1, Home: 0, End: tabs.length - 1 }[key];
    if (next !== undefined) open(tabs[(next + tabs.length) % tabs.length], true);
  });
});
function follow() {
  let name = location.hash.slice(1);
  try { name = decodeURIComponent(name); } catch { /* no encoded text: looked up as it stands */ }
  const target = document.getElementById(name);
  if (!target) return;
  const panel = target.closest("[role=tabpanel]");
  if (panel) open(tabs.find((tab) => tab.getAttribute("aria-controls") === panel.id));
  for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  target.querySelector(":scope > td details")?.setAttribute("open", "");
  target.scrollIntoView();
  target.closest(".long")?.scrollIntoView();
}
if (tabs.length) open(tabs[0]);
addEventListener("hashchange", follow);
follow();

// On paper, everything is open and drawn.
addEventListener("beforeprint", () => {
  document.querySelectorAll("details").forEach((fold) => { fold.open = true; });
  document.querySelectorAll(".chart:not([data-drawn])").forEach(draw);
});

// References, to copy.
document.getElementById("copy_references")?.addEventListener("click", async ({ target }) => {
  const references = document.getElementById("references");
  try {
    await navigator.clipboard.writeText(references.textContent);
    target.textContent = "Copied";
  } catch {  // no clipboard: the page is not served securely, or the reader has refused it
    getSelection().selectAllChildren(references);
  }
});

// Word vectors: the neighbours of a word in each stage.
const sought = document.getElementById("sought");
if (sought && data.explorer) {
  const { stages, languages } = data.explorer, MARKS = { right: "●", wrong: "✕" };
  const list = (words) => words.map(([word, cosine, mark]) => `<li>${mark ? `<span class="${mark}">${MARKS[mark]} ${text(word)}</span>` : text(word)} <span class="note">${cosine.toFixed(2)}</span></li>`).join("");
  const text = (word) => { const span = document.createElement("span"); span.textContent = word; return span.innerHTML; };
  const search = () => {
    const word = sought.value.trim();
    stages.forEach((stage, place) => {
      const box = document.getElementById(`neighbours_${place}`), sides = Object.hasOwn(stage.neighbours, word) && stage.neighbours[word];
      box.innerHTML = sides
        ? Object.entries(sides).map(([side, lists]) => languages.map((language, i) =>
            `<h4>${text(word)} (${text(side)}), nearest in ${text(language)}</h4><ol class="neighbours">${list(lists[i])}</ol>`).join("")).join("")
        : `<p class="note">${word ? "Not among the words shown." : "Type a word, or choose one from the list."}</p>`;
      views.get(`map_${place}`)?.signal("sought", word).runAsync();
    });
  };
  sought.addEventListener("input", search);
  search();
}

// Explanations of names, where a reader points at them.
const names = Object.keys(data.glossary).sort((a, b) => b.length - a.length);
const whole = new RegExp(`^(${names.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})$`);
for (const cell of document.querySelectorAll("th, td:first-child")) {
  if (cell.children.length) continue;
  const name = cell.textContent.trim();
  if (whole.test(name)) cell.innerHTML = `<abbr title="${data.glossary[name]}">${cell.innerHTML}</abbr>`;
}
