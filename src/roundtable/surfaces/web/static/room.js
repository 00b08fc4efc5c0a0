// The room: shows what comes over the event stream, and sends what people type. Everything is drawn by the
// server; this script puts it in its place, and never takes text for HTML.
"use strict";

const table = document.getElementById("table");
const log = document.getElementById("log");
const draft = document.getElementById("draft");
const form = document.getElementById("form");
const problem = document.getElementById("problem");
const seats = document.getElementById("seats");
const connection = document.getElementById("connection");
const room = table.dataset.room;
const SILENCE = 40000; // the server is heard from every 15 seconds
const SLOWLY = 3000;
const READING = 10000;
const RESTARTED = "The server was restarted. Copy what you typed here, open the address that `roundtable serve` "
  + "printed (or ask for a new invitation), then reload this page.";

let last = table.dataset.after;
let state = JSON.parse(table.dataset.state);
let source = null;
let watchdog = 0;
let typed = 0;
let drawn = "";
let sending = ""; // words on their way, of which nobody knows yet whether they count
let reading = 0; // the time that somebody has to read why something was refused

// --- the stream ---------------------------------------------------------------------------------------

function connect() {
  clearTimeout(watchdog);
  if (source) source.close();
  source = new EventSource(`${room}/events?after=${encodeURIComponent(last)}`);
  source.onopen = () => { alive(); say_connection(""); };
  source.onerror = async () => {
    say_connection("The connection is gone; trying again.");
    if (source.readyState !== EventSource.CLOSED) return;
    const answer = await fetch(`${room}/form`).catch(() => null);
    if (answer?.status === 401) stop(); else retry();
  };
  source.addEventListener("ping", alive);
  source.addEventListener("reset", () => { log.replaceChildren(); last = ""; alive(); });
  source.addEventListener("line", (event) => {
    alive();
    if (event.lastEventId === last) return;
    last = event.lastEventId;
    add(JSON.parse(event.data));
  });
  source.addEventListener("words", (event) => { alive(); show_words(JSON.parse(event.data)); });
  source.addEventListener("table", (event) => { alive(); state = JSON.parse(event.data); show_table(); });
}

function retry() { clearTimeout(watchdog); watchdog = setTimeout(connect, SLOWLY); }

function stop() { clearTimeout(watchdog); source.close(); say_connection(RESTARTED); }

function alive() { clearTimeout(watchdog); watchdog = setTimeout(connect, SILENCE); }

function say_connection(text) { if (connection.textContent !== text) connection.textContent = text; }

function keep_end(change) {
  const follows = window.innerHeight + window.scrollY >= document.body.scrollHeight - 120;
  change();
  if (follows) window.scrollTo({ top: document.body.scrollHeight });
}

function add(html) {
  keep_end(() => {
    log.insertAdjacentHTML("beforeend", html); // made and cleaned by the server
    draft.hidden = true;
  });
}

function show_words(words) {
  keep_end(() => {
    const body = draft.querySelector(".words");
    if (words.from === 0) {
      const seat = seats.querySelector(`[data-speaker="${CSS.escape(words.speaker)}"]`);
      draft.className = `entry said ${seat?.className ?? ""}`;
      for (const part of [".sign", ".name", ".role"]) {
        draft.querySelector(part).textContent = seat?.querySelector(part).firstChild.textContent ?? "";
      }
      body.textContent = "";
    }
    body.textContent += words.text;
    draft.hidden = !body.textContent;
  });
}

// --- the table ----------------------------------------------------------------------------------------

function show_table() {
  const me = table.dataset.me;
  const writers = Object.entries(state.typing).filter(([id]) => id !== me).map(([, name]) => name);
  const writing = writers.length ? `${writers.join(" and ")} ${writers.length > 1 ? "are" : "is"} typing` : "";
  const work = document.getElementById("work");
  if (work.textContent !== (state.work || writing)) work.textContent = state.work || writing;
  if (seats.dataset.drawn !== state.html) {
    seats.innerHTML = seats.dataset.drawn = state.html; // made by the server
    const role = seats.querySelector(`[data-id="${me}"] .role`);
    if (role) role.textContent = role.textContent ? `you, ${role.textContent}` : "you";
    const is_empty = !seats.querySelector(`[data-id="${state.chair}"]`);
    seats.querySelectorAll("[data-to]").forEach((button) => {
      const mine = button.dataset.to === me;
      button.hidden = !(state.chair === me || (mine && is_empty));
      if (mine) button.textContent = "Take the chair";
      button.addEventListener("click", () => send("chair", { to: button.dataset.to }));
    });
  }
  const leave = document.getElementById("leave");
  if (leave) leave.hidden = !(state.open && state.chair === me);
  // While somebody is at work the old form stays, dimmed, so that nothing jumps and no typed word is lost.
  const busy = state.open && !state.listen && !state.talking;
  form.classList.toggle("busy", busy && drawn !== "");
  const wanted = [state.open, state.listen, state.chair, state.talking].join();
  if (wanted !== drawn && (!busy || !drawn)) draw_form(wanted);
}

// --- the form -----------------------------------------------------------------------------------------

async function draw_form(wanted) {
  drawn = wanted;
  const answer = await fetch(`${room}/form`).catch(() => null);
  if (!answer || !answer.ok) { drawn = ""; return; }
  const html = await answer.text();
  if (wanted !== drawn) return; // something newer is on its way
  const before = form.querySelector("textarea");
  const was = form.firstElementChild?.dataset.awaits;
  const part = form.querySelector("#part")?.value;
  const asked = before?.defaultValue; // a draft that nobody edited belongs to its question
  const kept = before ? { text: before.value, start: before.selectionStart, end: before.selectionEnd } : null;
  const had_focus = form.contains(document.activeElement) || document.activeElement === document.body;
  keep_end(() => {
    form.innerHTML = html; // made by the server
    const after = form.querySelector("textarea");
    const is = form.firstElementChild?.dataset.awaits;
    const kind = (awaits) => (awaits === "early" ? "discussion" : awaits);
    const is_own = kept?.text.trim() && kept.text !== asked;
    if (after && !after.value && is_own && kind(was) === kind(is)) {
      after.value = kept.text;
      after.setSelectionRange(kept.start, kept.end);
    } else if (is_own && kept.text !== sending && was !== "review") show_unsaid(kept.text);
    const adding = part && form.querySelector('[name="add"]'); // there may be more to add
    if (adding) form.querySelector("#part").value = part;
    const first = form.querySelector("[data-key][data-enter]") || adding || after || form.querySelector("button");
    if (had_focus) first?.focus({ preventScroll: true });
    form.querySelectorAll("textarea").forEach(fit);
  });
}

// What was asked is no longer asked, and the new form has no field for the words: they stay to be read.
function show_unsaid(words) {
  const note = document.createElement("div");
  note.className = "entry note unsaid";
  note.textContent = `Not said: ${words}`;
  keep_end(() => log.append(note));
}

function fit(area) {
  area.style.height = "auto";
  area.style.height = `${Math.min(area.scrollHeight + 2, window.innerHeight * 0.4)}px`;
}

async function send(action, fields) {
  const body = new URLSearchParams({ check: table.dataset.check, ...fields });
  const headers = { Accept: "application/json" };
  let text = "";
  try {
    const answer = await fetch(`${room}/${action}`, { method: "POST", body, headers });
    if (answer.ok) return true;
    if (answer.status === 401) stop();
    text = answer.status === 401 ? RESTARTED : (await answer.json()).error;
  } catch {
    text = "The server cannot be reached. What you wrote is still here; send it again in a moment.";
  }
  if (action === "typing") return false;
  problem.textContent = text;
  problem.hidden = false;
  clearTimeout(reading);
  reading = setTimeout(() => { problem.hidden = true; }, READING);
  return false;
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const fields = Object.fromEntries(new FormData(event.target, event.submitter));
  const address = event.submitter?.getAttribute("formaction") || event.target.getAttribute("action");
  const area = form.querySelector("textarea");
  problem.hidden = true;
  const buttons = form.querySelectorAll("button");
  buttons.forEach((button) => { button.disabled = true; });
  sending = "choice" in fields ? "" : fields.text || "";
  const sent = await send(address.split("/").pop(), fields);
  buttons.forEach((button) => { button.disabled = false; });
  if (!sent && sending.trim() && form.querySelector("#text")?.value !== sending) show_unsaid(sending);
  sending = "";
  // The form may have been drawn anew meanwhile, with the words that were on their way.
  for (const each of new Set([area, form.querySelector("#text")])) {
    if (sent && each?.id === "text" && each.value === fields.text && !("choice" in fields)) {
      each.value = each.defaultValue = "";
      fit(each);
      typed = 0;
    }
  }
  if (!sent) drawn = "again";
  show_table();
});

form.addEventListener("input", (event) => {
  if (event.target.tagName !== "TEXTAREA") return;
  fit(event.target);
  if (Date.now() - typed > SLOWLY) {
    typed = Date.now();
    send("typing", {});
  }
});

form.addEventListener("keydown", (event) => {
  if (event.target.tagName !== "TEXTAREA" || event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  const whole = event.target.closest("form");
  if (whole.querySelector(".review")) return; // Enter in a row does not accept the whole
  const empty = !event.target.value.trim();
  if (empty && whole.dataset.awaits === "early") return; // nobody listens yet to whom silence says: go on
  whole.requestSubmit((empty && whole.querySelector("[data-enter]")) || whole.querySelector("button:not([name])"));
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("textarea, input, select")) return;
  const button = form.querySelector(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
  if (button) { event.preventDefault(); button.click(); }
});

// What is unfolded would else open behind the form.
log.addEventListener("toggle", (event) => { if (event.target.open) event.target.scrollIntoView({ block: "start" }); }, true);

document.querySelectorAll(".invite input").forEach((each) => {
  each.value = location.origin + new URL(each.value).pathname; // as this page was reached, perhaps through a proxy
  each.addEventListener("focus", () => each.select());
});
addEventListener("online", connect);
addEventListener("pageshow", (event) => { if (event.persisted) connect(); });

show_table();
connect();
window.scrollTo({ top: document.body.scrollHeight });
