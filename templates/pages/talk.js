
// A recorded conversation: only the rows in view are in the document, so that long ones open and scroll at once.
document.addEventListener("DOMContentLoaded", () => {
  const source = document.getElementById("talk-data");
  if (!source) return;
  const data = JSON.parse(source.textContent);
  source.remove();
  const rows = data.rows;
  const get = (id) => document.getElementById("talk-" + id);
  const list = get("list"), space = get("space"), one = get("one"), find = get("find"), from = get("from"), channel = get("channel"), wrong = get("wrong"), fold = get("fold"), count = get("count");
  const height = 28;
  let shown = []; // what is in the list: the index of a message, and how many more it stands for
  let selected = -1; // the index of a message
  const answers = new Map(); // the index of an answer by that of its request
  const numbers = new Map(); // indexes by number
  rows.forEach((r, i) => { if (!r.late) numbers.set(r.n, i); });
  rows.forEach((r, i) => { if (r.answers) answers.set(numbers.get(r.answers), i); });

  const element = (tag, className, text) => {
    const e = document.createElement(tag);
    if (className) e.className = className;
    if (text !== undefined) e.textContent = text;
    return e;
  };
  const size = (n) => (n < 1000 ? n + " B" : n < 1e6 ? (n / 1e3).toFixed(1) + " kB" : (n / 1e6).toFixed(1) + " MB");
  const duration = (s) => (s < 0.001 ? Math.round(s * 1e6) + " µs" : s < 1 ? (s * 1e3).toFixed(1) + " ms" : s.toFixed(1) + " s");

  for (const name of data.channels || []) {
    const o = element("option", "", name);
    o.value = name;
    channel.append(o);
    channel.hidden = false;
  }

  const name = (r) => r.method || (r.kind === "batch" ? "batch" : r.late ? "missing messages" : "no message");

  const chosen = (r, text) =>
    (!from.value || r.from === from.value) && (!channel.value || r.channel === channel.value) && (!wrong.checked || r.findings) &&
    (!text || [r.method, r.id, r.detail, r.channel, r.body].some((part) => part && part.toLowerCase().includes(text)));
  const repeats = (a, b) =>
    a.kind === "notification" && b.kind === a.kind && !b.findings && a.from === b.from && a.method === b.method && a.detail === b.detail && a.channel === b.channel && a.conn === b.conn;

  function choose() {
    const text = find.value.trim().toLowerCase();
    shown = [];
    let messages = 0;
    rows.forEach((r, i) => {
      if (!chosen(r, text)) return;
      messages++;
      const last = shown[shown.length - 1];
      if (fold.checked && last && repeats(rows[last.at], r)) last.more++;
      else shown.push({ at: i, more: 0 });
    });
    count.textContent = messages === rows.length ? rows.length + " messages" : messages + " of " + rows.length + " messages";
    space.style.height = shown.length * height + "px";
    draw();
  }

  function line(entry, at) {
    const r = rows[entry.at];
    const e = element("div", "talk-row " + r.from + (r.kind ? " " + r.kind : ""));
    e.id = "talk-row-" + entry.at;
    e.style.top = at * height + "px";
    e.setAttribute("role", "option");
    e.setAttribute("aria-selected", String(holds(entry)));
    e.dataset.at = entry.at;
    e.append(element("span", "when", r.time.toFixed(3)), element("span", "way", r.from === "client" ? "→" : "←"));
    let text = name(r) + (r.kind === "failure" ? " failed" : "") + (r.id ? " #" + r.id : "");
    for (const part of [r.detail, r.channel]) if (part) text += "  " + part;
    e.append(element("span", "what", text));
    if (entry.more) e.append(element("span", "facts more", "× " + (entry.more + 1)));
    else if (r.size) e.append(element("span", "facts", size(r.size) + (r.answers ? ", " + duration(r.seconds) : "")));
    if (r.findings) e.append(element("span", "wrong" + (r.findings.every((f) => f.note) ? " note" : ""), r.findings[0].rule));
    return e;
  }
  const holds = (entry) => selected >= entry.at && selected <= entry.at + entry.more && entry.at >= 0;

  function draw() {
    const first = Math.max(0, Math.floor(list.scrollTop / height) - 10);
    const last = Math.min(shown.length, Math.ceil((list.scrollTop + list.clientHeight) / height) + 10);
    const out = [];
    for (let i = first; i < last; i++) out.push(line(shown[i], i));
    space.replaceChildren(...out);
  }

  function show(i) {
    selected = i;
    let at = shown.findIndex(holds);
    if (at < 0) { // it is filtered away
      find.value = from.value = channel.value = "";
      wrong.checked = false;
      choose();
      at = shown.findIndex(holds);
    }
    if (at * height < list.scrollTop || (at + 1) * height > list.scrollTop + list.clientHeight) list.scrollTop = at * height - list.clientHeight / 2;
    draw();
    list.setAttribute("aria-activedescendant", "talk-row-" + shown[at].at);
    one.replaceChildren(...detail(i));
    one.scrollTop = 0;
    history.replaceState(null, "", "#" + rows[i].n);
  }

  const go = (text, i) => {
    const b = element("button", "", text);
    b.type = "button";
    b.addEventListener("click", () => show(i));
    return b;
  };

  function detail(i) {
    const r = rows[i];
    const out = [element("h2", "", name(r) + (r.kind ? ", " + r.kind : ""))];
    const meta = element("p", "meta", "message " + r.n + " of the " + data.sides[r.from] + ", " + r.time.toFixed(3) + " s, " + size(r.size) + (r.answers ? ", after " + duration(r.seconds) : "") + " ");
    if (answers.has(i)) meta.append(go("answer", answers.get(i)));
    if (r.answers && numbers.has(r.answers)) meta.append(go("request", numbers.get(r.answers)));
    out.push(meta);
    for (const f of r.findings || []) {
      const e = element("p", "finding" + (f.note ? " note" : ""), f.rule + ": " + (f.path ? f.path + ": " : "") + f.text);
      if (f.schema) e.append(element("small", "", " (" + f.schema + ", " + f.at + ")"));
      out.push(e);
    }
    if (r.changes) out.push(...states(i));
    for (const s of r.states || []) out.push(whole(i, s));
    if (r.body) {
      let text = r.body;
      try { text = JSON.stringify(JSON.parse(r.body), null, 2); } catch { /* it is shown as it is */ }
      out.push(element("pre", "", text));
    }
    return out;
  }

  // What a message does to the state of its channel, and the ways to the messages that changed it before and after.
  function states(i) {
    const r = rows[i];
    const step = element("p", "meta", "state of " + r.channel + " ");
    const other = (by) => {
      let k = i + by;
      while (rows[k] && !(rows[k].changes && rows[k].channel === r.channel && rows[k].conn === r.conn)) k += by;
      return rows[k] ? k : -1;
    };
    if (other(-1) >= 0) step.append(go("change before", other(-1)));
    if (other(1) >= 0) step.append(" ", go("next change", other(1)));
    const table = element("table", "changes");
    const head = element("tr");
    for (const title of ["member", "before", "after"]) head.append(element("th", "", title));
    table.append(head);
    for (const c of r.changes) {
      const tr = element("tr");
      for (const text of [c.path || "all", c.before || "–", c.after || "–"]) tr.append(element("td", "", text));
      table.append(tr);
    }
    return [step, table];
  }

  // The whole state after a message, put together when it is opened. It stays open from step to step.
  let open = false;
  function whole(i, step) {
    const e = element("details", "whole");
    e.append(element("summary", "", "whole state of " + step.channel + " after message " + rows[i].n));
    const fill = () => { if (e.open && e.children.length === 1) e.append(element("pre", "", stateAfter(i, step.channel))); };
    e.addEventListener("toggle", () => { open = e.open; fill(); });
    e.open = open;
    fill();
    return e;
  }

  function stateAfter(i, channel) {
    const steps = [];
    for (let k = i; k >= 0; k--) {
      const s = rows[k].conn === rows[i].conn && (rows[k].states || []).find((s) => s.channel === channel);
      if (!s) continue;
      if (s.unknown) return "It is not known any more.";
      if (s.left) return "It is not on this page: type ahpgen show " + data.file + " --state " + channel + " --at " + rows[i].n;
      steps.push(s);
      if (s.whole) break;
    }
    let state = structuredClone(steps.pop().whole);
    while (steps.length) for (const part of steps.pop().parts || []) state = changed(state, part);
    return JSON.stringify(state, null, 2);
  }

  function changed(state, [path, operation, value]) {
    const root = { state };
    let at = root, name = "state";
    for (const step of path) { at = at[name]; name = step; }
    if (operation === "-") delete at[name];
    else if (operation === "#") at[name].length = value;
    else if (operation === "+") at[name] += value;
    else at[name] = structuredClone(value);
    return root.state;
  }

  let waiting = 0;
  find.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(choose, rows.length > 10000 ? 150 : 0); });
  for (const control of [from, channel, wrong, fold]) control.addEventListener("change", choose);
  get("bar").addEventListener("submit", (e) => e.preventDefault());
  list.addEventListener("scroll", draw);
  window.addEventListener("resize", draw);
  space.addEventListener("click", (e) => {
    const row = e.target.closest(".talk-row");
    if (row) show(Number(row.dataset.at));
  });
  list.addEventListener("keydown", (e) => {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20, Home: -shown.length, End: shown.length }[e.key];
    if (!by || !shown.length) return;
    e.preventDefault();
    const at = shown.findIndex(holds);
    show(shown[Math.min(shown.length - 1, Math.max(0, at < 0 ? 0 : at + by))].at);
  });
  document.addEventListener("keydown", (e) => {
    if (e.key !== "/" || e.target.matches("input, select")) return;
    e.preventDefault();
    find.focus();
  });
  choose();
  const follow = () => {
    const linked = numbers.get(Number(location.hash.slice(1)));
    if (linked !== undefined && linked !== selected) show(linked);
  };
  window.addEventListener("hashchange", follow);
  follow();
});
