// SPDX-License-Identifier: Apache-2.0
// The page that a run is stepped through on. All that it says was worked out before and stands in the data: the events
// (steps) of each run and what every host is after each of them. This script draws that, and nothing of the data ever
// becomes markup: texts are set as texts.
"use strict";

const $ = (id) => document.getElementById(id);
let data;           // what the page is about
let view = null;    // {key, runs, charts}: the run, or the two, that are shown
let current = 0;    // the step of the first run that is shown
let quiz = null;    // {at, asked, right, answered}: the question that is being asked
let playing = null; // the timer that steps on

// ---- small parts

function make(tag, fields = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(fields)) {
    if (name in node) node[name] = value; else node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}

function draw(parent, tag, fields) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(fields)) node.setAttribute(name, value);
  parent.append(node);
  return node;
}

const seconds = (us, digits = 3) => (us / 1e6).toFixed(digits) + " s";

/** A client's colour is its place among the clients, as in the pictures that `lockproof report` draws. */
function colourOf(run, host) {
  if (host < 0 || run.hosts[host].kind !== "client") return "";
  return "client" + run.hosts.slice(0, host).filter((one) => one.kind === "client").length % 6;
}

/** What every host is at each step; the data say only what has changed since the step before. */
function expand(run) {
  if (run.states) return run;
  let state = { hosts: run.hosts.map(() => ({})), inside: [], holder: "", partings: [] };
  run.states = run.steps.map((step) => {
    state = { ...state, hosts: state.hosts.map((host, i) => ({ ...host, ...step["h" + i] })) };
    for (const name of ["inside", "holder", "partings"]) if (name in step) state[name] = step[name];
    return state;
  });
  run.bad = new Set(run.verdicts.flatMap((one) => one.steps.slice(-1)));
  run.part = new Set(run.verdicts.flatMap((one) => one.steps.slice(0, -1)));
  run.cause = new Set(run.cause_steps);
  return run;
}

// ---- the diagram

const ROW = 25, HEAD = 46, LANES = 12;

/** Where each row stands: further from the one before it the more time has passed, by its logarithm. */
function places(run) {
  let y = HEAD + ROW;
  return run.steps.map((step, i) => {
    const passed = i ? step.at - run.steps[i - 1].at : 0;
    y += i ? ROW + Math.round(Math.min(44, 5 * Math.log2(1 + passed / 20000))) : 0;
    return y;
  });
}

class Chart {
  constructor(run, width, texts) {
    this.run = expand(run);
    this.y = places(run);
    this.left = 74;
    this.lane = Math.max(30, Math.min(118, (width - this.left - (texts ? Math.min(330, width * 0.45) : 8)) / run.hosts.length));
    this.width = this.left + this.lane * run.hosts.length + LANES;
    this.height = (this.y.at(-1) || HEAD) + ROW;
    this.svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    this.svg.setAttribute("aria-hidden", "true");
    this.svg.setAttribute("width", this.width);
    this.svg.setAttribute("height", this.height);
    this.list = make("ol", { role: "listbox", tabIndex: 0, "aria-label": `Events, ${run.label}` });
    this.list.style.height = this.height + "px";
    this.names = make("div", { className: "names", "aria-hidden": "true" });
    this.body = make("div", { className: "chart" + (texts ? "" : " narrow") }, this.names, this.svg, this.list);
    this.body.style.minWidth = this.width + (texts ? 260 : 0) + "px";
    this.drawLanes();
    this.drawArrows();
    this.drawRows(texts);
  }

  x(host) { return this.left + this.lane * (host + 0.5); }

  /** From each step at which `value` is something to the one at which it is something else. */
  stretches(value, paint) {
    let start = 0;
    for (let i = 1; i <= this.y.length; ++i) {
      if (i < this.y.length && value(i) === value(start)) continue;
      if (value(start)) paint(value(start), this.y[start], i < this.y.length ? this.y[i] : this.height - 4);
      start = i;
    }
  }

  drawLanes() {
    const { run, svg } = this, states = run.states;
    patterns(svg);
    this.stretches((i) => states[i].inside.length > 1, (_, from, to) =>
      draw(svg, "rect", { class: "overlap", x: this.left, width: this.lane * run.hosts.length, y: from, height: to - from }));
    run.hosts.forEach((host, h) => {
      const x = this.x(h), box = (kind, wide) => (what, from, to) =>
        draw(svg, "rect", { class: kind(what), x: x - wide / 2, width: wide, y: from, height: to - from });
      const name = make("span", { className: "name " + host.kind + " " + colourOf(run, h), title: host.name }, host.name);
      name.style.left = x + "px";
      name.style.maxWidth = this.lane + "px";
      this.names.append(name);
      this.stretches((i) => stillness(states[i].hosts[h].is), box((what) => "still " + what, Math.min(30, this.lane - 6)));
      draw(svg, "line", { class: "lane", x1: x, x2: x, y1: HEAD, y2: this.height });
      this.stretches((i) => states[i].hosts[h].bar, (bar, from, to) => {
        const owner = bar.startsWith("key") ? +bar.slice(3) : h, wide = bar.startsWith("key") ? 7 : 13;
        const shape = { x: x - wide / 2, width: wide, y: from, height: to - from, rx: 2 };
        draw(svg, "rect", { class: (bar.startsWith("key") ? "key " : "inside ") + colourOf(run, owner), ...shape });
        if (bar === "late") draw(svg, "rect", { class: "late", ...shape });
      });
    });
    this.cursor = draw(svg, "rect", { class: "cursor", x: 0, width: this.width, y: 0, height: ROW });
  }

  drawArrows() {
    this.run.steps.forEach((step, i) => {
      if (step.arrow) {
        const [from, kind] = step.arrow, start = this.run.steps[from];
        const x1 = this.x(start.host), x2 = this.x(step.host), lost = kind === "lost";
        const reach = lost && x1 === x2 ? this.lane / 3 : 0, side = Math.sign(x2 - x1) * 7;
        draw(this.svg, "line", { class: "arrow " + kind, x1: x1 + Math.sign(x2 - x1) * 4, y1: this.y[from],
                                 x2: x2 - side + reach, y2: this.y[i], "marker-end": lost ? "url(#lost)" : "url(#head)" });
      }
      const sign = step.kind === "strike" ? "fault" : this.run.bad.has(i) ? "bad" : this.run.part.has(i) ? "part" : step.kind;
      const x = this.x(step.host), y = this.y[i];
      if (sign === "fault") draw(this.svg, "path", { class: "mark fault", d: star(x, y, 8) });
      else if (step.kind === "time") draw(this.svg, "path", { class: "mark time", d: `M${x} ${y - 6}l6 6l-6 6l-6 -6z` });
      else draw(this.svg, "circle", { class: "mark " + sign, cx: x, cy: y, r: sign === "bad" || sign === "part" ? 6 : 3.5 });
    });
  }

  drawRows(texts) {
    const { run } = this;
    this.rows = run.steps.map((step, i) => {
      const host = run.hosts[step.host], said = make("span", { className: "said" });
      said.style.left = this.width + "px";
      said.append(make("b", { className: colourOf(run, step.host) }, host.name), " " + step.text);
      const row = make("li", { role: "option", id: `${run.key}-${i}` , "aria-selected": "false" },
                       make("span", { className: "at" }, seconds(step.at)), said);
      row.style.top = this.y[i] - ROW / 2 + "px";
      row.className = [run.bad.has(i) ? "bad" : "", run.cause.has(i) ? "cause" : "", step.kind].join(" ");
      row.dataset.step = i;
      return row;
    });
    this.list.append(...this.rows);
  }

  /** The row at a height of the window. */
  nearest(clientY) {
    const y = clientY - this.svg.getBoundingClientRect().top;
    return this.y.reduce((best, at, i) => (Math.abs(at - y) < Math.abs(this.y[best] - y) ? i : best), 0);
  }

  select(i, scroll) {
    this.list.querySelector("[aria-selected=true]")?.setAttribute("aria-selected", "false");
    this.rows[i].setAttribute("aria-selected", "true");
    this.list.setAttribute("aria-activedescendant", this.rows[i].id);
    this.cursor.setAttribute("y", this.y[i] - ROW / 2);
    if (!scroll) return;
    const pane = this.body.parentElement;
    const top = this.body.getBoundingClientRect().top - pane.getBoundingClientRect().top + pane.scrollTop + this.y[i];
    if (top < pane.scrollTop + 2 * HEAD || top > pane.scrollTop + pane.clientHeight - 2 * ROW)
      pane.scrollTop = top - pane.clientHeight * 0.4;
  }

  /** Rows from `i` on are hidden while a question is open. */
  veil(i) {
    this.rows.forEach((row, r) => row.classList.toggle("veiled", r > i));
    this.svg.style.clipPath = i + 1 < this.y.length ? `inset(0 0 ${this.height - this.y[i] - ROW / 2}px 0)` : "";
  }
}

const stillness = (is) => (/paused|suspended/.test(is) ? "paused" : /down|^dead/.test(is) ? "down" : /cut off|stalls|wait/.test(is) ? "cut" : "");

function star(x, y, r) {
  let path = "";
  for (let i = 0; i < 10; ++i) {
    const a = (i * Math.PI) / 5 - Math.PI / 2, l = i % 2 ? r * 0.45 : r;
    path += (i ? "L" : "M") + (x + l * Math.cos(a)).toFixed(1) + " " + (y + l * Math.sin(a)).toFixed(1);
  }
  return path + "Z";
}

/** Hatches and arrow heads; a page may have two diagrams, and either may use the other's. */
function patterns(svg) {
  const defs = draw(svg, "defs", {});
  const hatch = (id, size, d) => draw(draw(defs, "pattern", { id, width: size, height: size, patternUnits: "userSpaceOnUse" }), "path", { d });
  hatch("cross", 6, "M0 0L6 6M6 0L0 6");
  hatch("slant", 7, "M0 7L7 0");
  const head = (id, d) => draw(draw(defs, "marker", { id, viewBox: "0 0 10 10", refX: 9, refY: 5, markerWidth: 8, markerHeight: 8,
                                                       orient: "auto", markerUnits: "userSpaceOnUse" }), "path", { d });
  head("head", "M0 0L10 5L0 10z");
  head("lost", "M2 1L10 9M10 1L2 9");
}

// ---- the panel

function clockText(host, at, first) {
  const [wall, mono] = host.clocks, off = (now, then) => {
    const by = now - then;
    return Math.abs(by) < 1000 ? "" : ` (${by > 0 ? "+" : "−"}${seconds(Math.abs(by))})`;
  };
  const day = new Date(Math.floor((wall + at) / 1000)).toISOString().slice(11, 23);
  return `wall ${day}${off(wall, first.clocks[0])} · monotonic ${seconds(mono + at)}${off(mono, first.clocks[1])}`;
}

function keyText(run, key, owner, left) {
  return make("li", {}, make("code", {}, key), " is ", make("b", { className: colourOf(run, run.hosts.findIndex((h) => h.name === owner)) },
    owner ? owner + "’s" : "nobody’s"), left === null ? ", with no end" : `, ${seconds(left)} left`);
}

function card(run, i, h) {
  const spec = run.hosts[h], state = run.states[i], host = state.hosts[h];
  const inside = state.inside.includes(h), classes = ["host", spec.kind, colourOf(run, h)];
  if (inside) classes.push("in");
  if (host.bar === "late" || (inside && state.inside.length > 1)) classes.push("bad");
  if (/dead|down/.test(host.is)) classes.push("off");
  const is = make("span", { className: "is" + (/^(running|up)$/.test(host.is) ? "" : " struck") }, host.is);
  const node = make("section", { className: classes.join(" "), "aria-label": spec.name },
                    make("h3", {}, spec.name, " ", is, inside ? make("span", { className: "badge" }, "inside") : null));
  if (host.says) node.append(make("p", {}, host.says));
  if (host.keys && host.keys.length) node.append(make("ul", {}, ...host.keys.map((key) => keyText(run, ...key))));
  else if (host.keys) node.append(make("p", {}, "has no key"));
  if (spec.kind !== "resource") node.append(make("p", { className: "clocks" }, clockText(host, run.steps[i].at, run.states[0].hosts[h])));
  return node;
}

/** What has just happened in a run. */
function nowText(run, i) {
  const step = run.steps[i], told = run.verdicts.filter((one) => one.steps.at(-1) === i);
  return [make("h2", {}, make("span", { className: "at" }, seconds(step.at, 6)), " ",
               make("b", { className: colourOf(run, step.host) }, run.hosts[step.host].name), " " + step.text),
          ...told.map((one) => make("p", { className: "bad" }, `${one.name}: ${one.what}`)),
          run.cause.has(i) ? make("p", { className: "cause" }, run.cause_text) : ""];
}

/** Who is really inside, whose the lock is, and where belief and truth part. */
function truthText(run, i) {
  const state = run.states[i], names = state.inside.map((h) => run.hosts[h].name).join(" and ");
  return make("div", { className: "truth" + (state.partings.some(([bad]) => bad) ? " parted" : "") },
    make("p", {}, make("b", {}, "Really inside: "), names || "nobody"),
    make("p", {}, make("b", {}, "The lock, by the servers: "), state.holder ? state.holder + "’s" : "nobody’s"),
    make("ul", {}, ...state.partings.map(([bad, text]) => make("li", { className: bad ? "bad" : "" }, text))));
}

function drawPanel() {
  const at = (which) => (which ? view.pairing.at(current) : current), several = view.runs.length > 1;
  $("now").replaceChildren(...nowText(view.runs[0], current));
  $("world").replaceChildren(...view.runs.flatMap((run, which) => [
    several ? make("h2", { className: "world" }, `${run.label}, ${seconds(run.steps[at(which)].at, 6)}`) : "",
    truthText(run, at(which)), ...run.hosts.map((_, h) => card(run, at(which), h))]));
}

// ---- moving about

function go(i, scroll = true) {
  const run = view.runs[0], most = quiz && !quiz.answered ? quiz.at : run.steps.length - 1;
  current = Math.max(0, Math.min(most, i));
  view.charts[0].select(current, scroll);
  if (view.charts[1]) view.charts[1].select(view.pairing.at(current), scroll);
  $("slider").value = current;
  $("slider").setAttribute("aria-valuetext", `${run.hosts[run.steps[current].host].name} ${run.steps[current].text}`);
  $("place").value = `${current + 1} of ${run.steps.length}`;
  drawPanel();
  history.replaceState(null, "", `#${view.key}/${run.steps[current].id}`);
}

function toViolation() {
  const bad = [...view.runs[0].bad].sort((a, b) => a - b);
  if (bad.length) go(bad.find((i) => i > current) ?? bad[0]);
}

function play(on) {
  clearInterval(playing);
  playing = on ? setInterval(() => (current + 1 < view.runs[0].steps.length ? go(current + 1) : play(false)), 700) : null;
  $("play").setAttribute("aria-pressed", on);
  $("play").textContent = on ? "Stop" : "Play";
}

// ---- being asked

function ask(number) {
  const run = view.runs[0], one = run.asks[number];
  quiz = { number, at: Math.max(0, one.step - 1), right: quiz ? quiz.right : 0, answered: false };
  view.charts[0].veil(quiz.at);
  document.body.classList.add("asking");
  $("quiz").setAttribute("aria-pressed", "true");
  const answers = one.choices.map((text, i) => make("button", { onclick: () => answer(i) }, text));
  $("question").replaceChildren(make("p", { className: "count" }, `Question ${number + 1} of ${run.asks.length}`),
                                make("p", { className: "ask" }, one.ask), make("div", {}, ...answers));
  $("question").hidden = false;
  go(quiz.at);
  answers[0].focus();
}

function answer(choice) {
  const run = view.runs[0], one = run.asks[quiz.number], right = choice === one.right;
  quiz.answered = true;
  quiz.right += right;
  view.charts[0].veil(one.step);
  document.body.classList.remove("asking");
  const last = quiz.number + 1 === run.asks.length;
  const on = make("button", { onclick: () => (last ? stopAsking() : ask(quiz.number + 1)) }, last ? "To the whole run" : "Next question");
  $("question").replaceChildren(make("p", { className: "ask" }, one.ask),
    make("p", { className: right ? "right" : "wrong", role: "status" }, `${right ? "Yes, that is it" : "No"}: ${one.choices[one.right]}.`),
    make("p", {}, one.why), last ? make("p", {}, `${quiz.right} of ${run.asks.length} answers were right.`) : "", on);
  go(one.step);
  on.focus();
}

function stopAsking() {
  quiz = null;
  document.body.classList.remove("asking");
  $("quiz").setAttribute("aria-pressed", "false");
  $("question").hidden = true;
  view.charts.forEach((chart) => chart.veil(chart.y.length));
  go(current);
}

// ---- which run is shown

/** In a comparison: the step of the second run that goes with a step of the first, or the nearest before it. */
class Pairing {
  constructor(pairs) { this.pairs = pairs; }
  at(i) { return (this.pairs.findLast(([a]) => a <= i) || this.pairs[0] || [0, 0])[1]; }
  back(j) { return (this.pairs.findLast(([, b]) => b <= j) || this.pairs[0] || [0, 0])[0]; }
}

const runOf = (key) => data.runs.find((one) => one.key === key);
const comparisonOf = (key) => data.comparisons.find((one) => one.key === key);

/** `where`: the name of an event, or a world time in microseconds. */
function show(key, where) {
  play(false);
  const comparison = comparisonOf(key);
  const runs = (comparison ? comparison.runs : [runOf(key) ? key : data.runs[0].key]).map(runOf).map(expand);
  document.body.classList.toggle("comparing", Boolean(comparison));
  const room = $("diagrams").clientWidth / runs.length, texts = room > 520;
  view = { key: comparison ? key : runs[0].key, runs, pairing: comparison && new Pairing(comparison.pairs) };
  view.charts = runs.map((run) => new Chart(run, room, texts));
  $("diagrams").replaceChildren(...view.charts.map((chart, c) =>
    comparison ? make("div", {}, make("h2", {}, runs[c].label), chart.body) : chart.body));
  if (comparison) markUnpaired(comparison);
  view.charts.forEach((chart, c) => listen(chart, c));
  drawHead(runs[0], comparison);
  drawWhatIf();
  if (quiz) stopAsking();
  const found = typeof where === "number" ? runs[0].steps.findLastIndex((step) => step.at <= where)
                                          : runs[0].steps.findIndex((step) => step.id === where);
  go(found);
}

function listen(chart, which) {
  const to = (i, scroll) => go(which ? view.pairing.back(i) : i, scroll);
  let drawn = false;
  chart.body.onpointerdown = (event) => { drawn = event.pointerType === "mouse" && event.button === 0; };
  chart.body.onpointermove = (event) => { if (drawn && event.buttons) to(chart.nearest(event.clientY), false); };
  chart.body.onclick = (event) => to(chart.nearest(event.clientY));
}

function drawHead(run, comparison) {
  $("about").textContent = comparison ? data.algorithm : `${data.algorithm} · ${run.about}`;
  const broken = run.verdicts.filter((one) => one.verdict === "violated");
  const others = run.verdicts.filter((one) => one.verdict !== "violated" && one.judged);
  $("verdicts").replaceChildren(
    ...broken.map((one) => make("p", { className: "bad" }, make("button", { disabled: !one.steps.length, onclick: () => go(one.steps.at(-1)) },
                                                            `${one.name}: violated`), " " + one.what)),
    run.cause_text ? make("p", { className: "cause" }, make("button", { disabled: !run.cause.size, onclick: () => go(Math.min(...run.cause)) },
                                                            "the cause"), " " + run.cause_text) : "",
    make("p", { className: "others" }, others.map((one) => `${one.name}: ${one.verdict}`).join(" · ")),
    run.left_out ? make("p", {}, `${run.left_out} events are left out.`) : "");
  $("reproduce").replaceChildren("To run it again: ", make("code", {}, run.reproduce));
  const tab = (key, label) => make("button", { onclick: () => show(key, 0), "aria-pressed": String(key === view.key) }, label);
  const switches = make("button", { onclick: () => $("what-if").scrollIntoView() }, "What if …");
  const tabs = [...data.runs.filter((one) => one.tab).map((one) => tab(one.key, one.label)),
                ...data.comparisons.map((one) => tab(one.key, one.label)),
                ...(data.what_if && !comparison ? [switches] : [])];
  $("views").replaceChildren(...(tabs.length > 1 ? tabs : []));
  for (const id of ["first", "back", "next", "last", "play"]) $(id).disabled = run.steps.length < 2;
  $("violation").disabled = run.bad.size === 0;
  $("quiz").disabled = Boolean(comparison) || run.asks.length === 0;
  $("slider").max = run.steps.length - 1;
}

/** Marks what only one of two runs has, and says in words where they differ. */
function markUnpaired(comparison) {
  view.charts.forEach((chart, c) => {
    const paired = new Set(comparison.pairs.map((pair) => pair[c]));
    chart.rows.forEach((row, i) => row.classList.toggle("alone", !paired.has(i)));
  });
  comparison.unlike.forEach((pair) => pair.forEach((i, c) => view.charts[c].rows[i].classList.add("unlike")));
  $("differences").replaceChildren(make("h2", {}, "Where they differ"), make("ul", {}, ...comparison.says.map((text) => make("li", {}, text))));
}

// ---- what if

function drawWhatIf() {
  const what = data.what_if, chosen = what && what.runs.find((one) => one.key === view.key);
  $("differences").hidden = !comparisonOf(view.key);
  $("what-if").hidden = !chosen;
  if (!chosen) return;
  const result = (mask, lease) => what.runs.find((one) => one.mask === mask && one.lease === lease);
  const pick = (mask, lease) => show(result(mask, lease).key || view.key, view.runs[0].steps[current].at);
  const faults = what.faults.map((text, f) => make("label", {}, make("input", {
    type: "checkbox", checked: Boolean(chosen.mask & (1 << f)), "data-switch": "fault" + f,
    onchange: (event) => refocus(event, () => pick(chosen.mask ^ (1 << f), chosen.lease)) }), " " + text));
  const leases = what.leases.map((text, l) => make("label", {}, make("input", {
    type: "radio", name: "lease", checked: chosen.lease === l, "data-switch": "lease" + l,
    onchange: (event) => refocus(event, () => pick(chosen.mask, l)) }), " " + text));
  const rows = [...Array(1 << what.faults.length).keys()].map((mask) => make("tr", {},
    make("th", { scope: "row" }, what.faults.filter((_, f) => mask & (1 << f)).map((_, f, all) => all[f]).join("; ") || "no fault"),
    ...what.leases.map((_, l) => {
      const one = result(mask, l), name = `${mask}.${l}`;
      return make("td", {}, make("button", { className: one.broken ? "bad" : "", disabled: !one.key, "data-switch": name,
        "aria-pressed": String(one === chosen), onclick: (event) => refocus(event, () => pick(mask, l)) }, one.says));
    })));
  $("what-if").replaceChildren(make("h2", {}, "What if …"),
    make("fieldset", {}, make("legend", {}, "these faults strike"), ...(faults.length ? faults : ["it has none"])),
    what.leases.length > 1 ? make("fieldset", {}, make("legend", {}, "the lease is"), ...leases) : "",
    make("div", { className: "outcomes" }, make("table", {}, make("caption", {}, what.caption),
      make("thead", {}, make("tr", {}, make("th", {}, "faults"), ...what.leases.map((text) => make("th", { scope: "col" }, text)))),
      make("tbody", {}, ...rows))));
}

/** A switch makes the page anew; the one that was used keeps the focus. */
function refocus(event, change) {
  const name = event.currentTarget.dataset.switch;
  change();
  $("what-if").querySelector(`[data-switch="${name}"]`)?.focus();
}

// ---- keys, themes, and the beginning

const KEYS = {
  ArrowDown: () => go(current + 1), ArrowRight: () => go(current + 1), ArrowUp: () => go(current - 1), ArrowLeft: () => go(current - 1),
  PageDown: () => go(current + 10), PageUp: () => go(current - 10), Home: () => go(0), End: () => go(view.runs[0].steps.length),
  v: toViolation, q: () => $("quiz").click(), " ": () => play(!playing),
};

function onKey(event) {
  const control = event.target.closest?.("button, input, summary, a");
  const ours = control && (event.key.startsWith("Arrow") ? control.type === "range" || control.type === "radio" : event.key === " ");
  if (ours || event.ctrlKey || event.metaKey || event.altKey || !(event.key in KEYS)) return;
  event.preventDefault();
  KEYS[event.key]();
}

function turnTheme() {
  const next = { "": "dark", dark: "light", light: "" }[document.documentElement.dataset.theme || ""];
  document.documentElement.dataset.theme = next;
  $("theme").textContent = "Theme: " + (next || "auto");
}

const SIGNS = [["circle inside", "a client is inside"], ["late", "… and its own clock says that its lease is over"],
  ["key", "the lock's key on a server, in its owner's colour"], ["still paused", "stands still"], ["still down", "down, or dead"],
  ["still cut", "cut off"], ["overlap", "two are inside at once"], ["mark bad", "what breaks a property"], ["mark fault", "a fault strikes"]];

function drawLegend() {
  for (const [kind, words] of SIGNS) {
    const sign = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    sign.setAttribute("width", 22); sign.setAttribute("height", 18); sign.setAttribute("aria-hidden", "true");
    if (kind === "mark fault") draw(sign, "path", { class: kind, d: star(11, 9, 8) });
    else if (kind === "mark bad") draw(sign, "circle", { class: kind, cx: 11, cy: 9, r: 6 });
    else draw(sign, "rect", { class: kind + " client0", x: 5, y: 1, width: 13, height: 16 });
    $("signs").append(make("dt", {}, sign), make("dd", {}, words));
  }
}

async function unpack(text) {
  const bytes = Uint8Array.from(atob(text.trim()), (c) => c.charCodeAt(0));
  return JSON.parse(await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).text());
}

function fromAddress() {
  const [key, id] = decodeURIComponent(location.hash.slice(1)).split("/");
  show(key || data.runs[0].key, id);
}

async function begin() {
  data = await unpack($("data").textContent);
  $("scenario").textContent = data.scenario_text;
  const click = { first: () => go(0), back: () => go(current - 1), next: () => go(current + 1), last: () => go(view.runs[0].steps.length),
                  play: () => play(!playing), violation: toViolation, quiz: () => (quiz ? stopAsking() : ask(0)), theme: turnTheme };
  for (const [id, act] of Object.entries(click)) $(id).onclick = act;
  $("slider").oninput = (event) => go(+event.target.value);
  addEventListener("keydown", onKey);
  addEventListener("hashchange", fromAddress);
  let width = innerWidth;
  addEventListener("resize", () => { if (innerWidth !== width) { width = innerWidth; show(view.key, view.runs[0].steps[current].id); } });
  drawLegend();
  fromAddress();
  document.body.classList.add("ready");
}

begin().catch((problem) => { $("diagrams").textContent = `This page needs a browser of 2023 or later (${problem.message}).`; });
