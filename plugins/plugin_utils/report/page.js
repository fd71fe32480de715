// Copyright (c) 2026 eessi.arch_guard contributors
// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
(() => {
  const PAGE = 100;
  // More rows than this are for report.csv, not for paper.
  const PRINTED = 1000;
  const { groups, rows } = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const table = byId("table");
  const body = table.tBodies[0];
  const headings = [...table.tHead.rows[0].cells];
  const filters = byId("filters");
  const odd = byId("by-odd");
  const find = byId("find");

  // All but the name is the same for all nodes of a group, so it is worked out once a group.
  const searched = groups.map((group) =>
    Object.values(group).filter((value) => typeof value === "string").join("\n").toLowerCase());
  const lowered = rows.map(([name]) => name.toLowerCase());
  const selects = ["status", "target", "accelerator", "guard"].map((key) => [key, byId(`by-${key}`)]);

  let found = rows.map((_row, index) => index);
  let first = 0;
  let sortKey = "name";
  let descending = false;
  // What was not open before it was printed.
  let closed = [];

  function offer([key, select]) {
    select.append(new Option("all", "*"));
    for (const value of [...new Set(groups.map((group) => group[key]))].sort()) {
      select.append(new Option(value || "none", `=${value}`));
    }
  }

  function matches() {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = selects.filter(([, select]) => select.value !== "*");
    const open = groups.map((group) =>
      (!odd.checked || group.odd) && wanted.every(([key, select]) => `=${group[key]}` === select.value));
    // For each group the words that are left for the name.
    const left = searched.map((text) => words.filter((word) => !text.includes(word)));
    const kept = [];
    rows.forEach(([, group], index) => {
      if (open[group] && left[group].every((word) => lowered[index].includes(word))) {
        kept.push(index);
      }
    });
    return kept;
  }

  // Rows come in the order of their names; a column's order is that of the groups' values.
  function sorted(indices) {
    const sign = descending ? -1 : 1;
    if (sortKey === "name") {
      return descending ? indices.reverse() : indices;
    }
    const values = groups.map((group, index) => (sortKey === "group" ? index : group[sortKey]));
    const ranked = [...new Set(values)].sort((one, other) => (one < other ? -1 : 1));
    const rank = new Map(ranked.map((value, index) => [value, index]));
    const ranks = values.map((value) => rank.get(value));
    return indices.sort((one, other) => sign * (ranks[rows[one][1]] - ranks[rows[other][1]]) || one - other);
  }

  function cell(row, text, small, kind) {
    const made = row.insertCell();
    made.textContent = text;
    if (kind) {
      made.className = kind;
    }
    if (small) {
      made.append(Object.assign(document.createElement("small"), { textContent: small }));
    }
  }

  function groupCell(row, group, index) {
    const made = row.insertCell();
    const text = `${index + 1}${group.odd ? " odd" : ""}`;
    if (group.shown) {
      made.append(Object.assign(document.createElement("a"), { href: `#group-${index + 1}`, textContent: text }));
    } else {
      made.textContent = text;
    }
  }

  function cellOf(row, key, group, index) {
    if (key === "status") {
      cell(row, group.status, group.reason, group.status === "ok" ? "" : "trouble");
    } else if (key === "alone") {
      const same = group.alone !== "" && group.alone === group.target;
      cell(row, same ? "the same" : group.alone, "", same ? "aside" : "trouble");
    } else if (key === "accelerator") {
      cell(row, group.accelerator, "", { failed: "trouble", none: "aside" }[group.accelerator]);
    } else if (key === "group") {
      groupCell(row, group, index);
    } else {
      cell(row, group[key]);
    }
  }

  function show(from, count) {
    const made = document.createDocumentFragment();
    found.slice(from, from + count).forEach((index) => {
      const [name, number] = rows[index];
      const group = groups[number];
      const row = document.createElement("tr");
      row.className = group.odd ? "is-odd" : "";
      row.append(Object.assign(document.createElement("th"), { scope: "row", textContent: name }));
      headings.slice(1).forEach((heading) => cellOf(row, heading.dataset.key, group, number));
      made.append(row);
    });
    body.replaceChildren(made);
  }

  function update() {
    const last = Math.min(first + PAGE, found.length);
    const of = found.length === rows.length ? "" : ` found, of ${rows.length.toLocaleString("en")}`;
    byId("count").textContent = found.length
      ? `Rows ${first + 1} to ${last} of ${found.length.toLocaleString("en")}${of}`
      : `No row matches, of ${rows.length.toLocaleString("en")}. Clear the filters to see all.`;
    byId("previous").disabled = first === 0;
    byId("next").disabled = last === found.length;
    byId("pager").hidden = found.length <= PAGE;
    show(first, PAGE);
  }

  function filter() {
    found = sorted(matches());
    first = 0;
    update();
  }

  function sort(heading) {
    descending = sortKey === heading.dataset.key && !descending;
    sortKey = heading.dataset.key;
    headings.forEach((each) => each.removeAttribute("aria-sort"));
    heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
    filter();
  }

  function turn(step) {
    first += step * PAGE;
    update();
    table.scrollIntoView({ block: "start" });
  }

  selects.forEach(offer);
  find.addEventListener("input", filter);
  filters.addEventListener("change", (event) => event.target === find || filter());
  filters.addEventListener("submit", (event) => event.preventDefault());
  // The fields have their first values only after the event.
  filters.addEventListener("reset", () => setTimeout(filter));
  headings.forEach((heading) => heading.firstElementChild.addEventListener("click", () => sort(heading)));
  byId("previous").addEventListener("click", () => turn(-1));
  byId("next").addEventListener("click", () => turn(1));
  addEventListener("beforeprint", () => {
    byId("printed").textContent = found.length > PRINTED
      ? `The first ${PRINTED} of ${found.length} rows; report.csv has all.` : `${found.length} rows.`;
    show(0, PRINTED);
    closed = [...document.querySelectorAll("details:not([open])")];
    closed.forEach((each) => { each.open = true; });
  });
  addEventListener("afterprint", () => {
    closed.forEach((each) => { each.open = false; });
    update();
  });
  filters.hidden = table.hidden = false;
  headings[0].setAttribute("aria-sort", "ascending");
  filter();
})();
