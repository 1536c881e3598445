const form = document.getElementById("filters");
const fields = ["languages", "task", "scale"].map(name => document.getElementById(name));
const boards = [...document.querySelectorAll(".board")];

// A pair shows boards of exactly its languages, and of either alone; a code shows all boards that name it.
function fits(board, wanted) {
  const codes = wanted.toLowerCase().split(/[^a-z]+/).filter(Boolean), own = board.dataset.languages.split(" ");
  if (codes.length < 2) return !codes.length || own.includes(codes[0]);
  return own.length > 1 ? own.every(code => codes.includes(code)) : codes.includes(own[0]);
}

function show() {
  const [languages, task, scale] = fields.map(field => field.value.trim());
  let shown = 0;
  for (const board of boards) {
    board.hidden = !(fits(board, languages) && (!task || board.dataset.task === task) && (!scale || board.dataset.scale === scale));
    shown += !board.hidden;
  }
  document.getElementById("shown").value = shown ? `${shown} of ${boards.length} leaderboards` : "No leaderboard: choose less.";
}

function keep() {
  const chosen = fields.filter(field => field.value).map(field => [field.id, field.value]);
  history.replaceState(null, "", chosen.length ? "#" + new URLSearchParams(chosen) : location.pathname.split("/").pop());
  show();
}

// An address names a board by its id, or choices: #languages=en-fr&task=Word+alignment
function read() {
  const chosen = new URLSearchParams(location.hash.slice(1));
  const named = fields.some(field => chosen.has(field.id));
  for (const field of fields) field.value = named ? chosen.get(field.id) || "" : "";
  show();
}

form.hidden = false;
form.addEventListener("input", keep);
form.addEventListener("submit", event => event.preventDefault());
form.addEventListener("reset", () => setTimeout(keep));
window.addEventListener("hashchange", read);
read();
