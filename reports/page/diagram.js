// SPDX-License-Identifier: Apache-2.0
// The space-time diagram of a run: a lane for each host, time running down, a row for each event. Chart draws one run;
// page.js says which, and what happens if somebody touches it.

function draw(parent, tag, fields) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(fields)) node.setAttribute(name, value);
  parent.append(node);
  return node;
}

const seconds = (us, digits = 3) => (us / 1e6).toFixed(digits) + " s";

/** What every host is at each step; the data say only what has changed since the step before. */
function expand(run) {
  if (run.states) return run;
  let state = { hosts: run.hosts.map(() => ({})), inside: [], crowded: 0, holder: "", partings: [] };
  run.states = run.steps.map((step) => {
    state = { ...state, hosts: state.hosts.map((host, i) => ({ ...host, ...step["h" + i] })) };
    for (const name of ["inside", "crowded", "holder", "partings"]) if (name in step) state[name] = step[name];
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
    const words = texts ? Math.min(330, width * 0.45) : 8;
    this.lane = Math.max(30, Math.min(118, (width - this.left - words) / run.hosts.length));
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
    this.drawLanes(texts);
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

  drawLanes(texts) {
    const { run, svg } = this, states = run.states;
    patterns(svg);
    const box = (kind, x, width, from, to) =>
      draw(svg, "rect", { class: kind, x, width, y: from, height: to - from, rx: 2 });
    this.stretches((i) => states[i].crowded,
                   (_, from, to) => box("overlap", this.left, this.lane * run.hosts.length, from, to));
    const rows = this.lane < 8 + 8 * Math.max(...run.hosts.map((host) => host.name.length)) ? 2 : 1;  // of names
    run.hosts.forEach((host, h) => {
      const x = this.x(h), wide = Math.min(30, this.lane - 6);
      const name = make("span", { className: "name " + colourOf(run, h), title: host.name }, host.name);
      name.style.left = (texts ? x : Math.min(x, this.width - 4 * host.name.length)) + "px";
      name.style.maxWidth = this.lane * rows - 4 + "px";
      name.style.top = rows > 1 ? (h % 2 ? 17 : 1) + "px" : "8px";
      this.names.append(name);
      this.stretches((i) => states[i].hosts[h].still,
                     (what, from, to) => box("still " + what, x - wide / 2, wide, from, to));
      draw(svg, "line", { class: "lane", x1: x, x2: x, y1: HEAD, y2: this.height });
      this.stretches((i) => states[i].hosts[h].bar, (bar, from, to) => {
        if (bar.startsWith("key")) return box("key " + colourOf(run, +bar.slice(3)), x - 3.5, 7, from, to);
        box("inside " + colourOf(run, h), x - 6.5, 13, from, to);
        return bar === "late" && box("late", x - 6.5, 13, from, to);
      });
    });
    this.cursor = draw(svg, "rect", { class: "cursor", x: 0, width: this.width, y: 0, height: ROW });
  }

  drawArrows() {
    this.run.steps.forEach((step, i) => {
      if (step.arrow) {
        const [from, kind, server] = step.arrow, lost = kind === "lost", x1 = this.x(this.run.steps[from].host);
        const there = lost ? x1 + (this.x(server) - x1) * 0.6 : this.x(step.host), side = Math.sign(there - x1);
        draw(this.svg, "line", { class: "arrow " + kind, x1: x1 + side * 4, y1: this.y[from],
                                 x2: there - side * (lost ? 0 : 7), y2: this.y[i],
                                 "marker-end": lost ? "url(#lost)" : "url(#head)" });
      }
      this.drawMark(step, i);
    });
  }

  drawMark(step, i) {
    const x = this.x(step.host), y = this.y[i], bad = this.run.bad.has(i), part = this.run.part.has(i);
    if (step.kind === "strike") draw(this.svg, "path", { class: "mark fault", d: star(x, y, 8) });
    else if (step.kind === "time") draw(this.svg, "path", { class: "mark time", d: `M${x} ${y - 6}l6 6l-6 6l-6 -6z` });
    else draw(this.svg, "circle", { class: "mark " + (bad ? "bad" : part ? "part" : step.kind), cx: x, cy: y,
                                    r: bad || part ? 6 : 3.5 });
  }

  drawRows(texts) {
    const { run } = this;
    this.rows = run.steps.map((step, i) => {
      const host = run.hosts[step.host], said = make("span", { className: "said", title: step.text });
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
  const hatch = draw(defs, "pattern", { id: "cross", width: 6, height: 6, patternUnits: "userSpaceOnUse" });
  draw(hatch, "path", { d: "M0 0L6 6M6 0L0 6" });
  const head = (id, d) => draw(draw(defs, "marker", {
    id, viewBox: "0 0 10 10", refX: 9, refY: 5, markerWidth: 8, markerHeight: 8, orient: "auto",
    markerUnits: "userSpaceOnUse" }), "path", { d });
  head("head", "M0 0L10 5L0 10z");
  head("lost", "M2 1L10 9M10 1L2 9");
}
