# SPDX-License-Identifier: Apache-2.0
"""A folder of pages: the table of what `lockproof check` found with a page for each scenario, or the pages of a lesson.

The index has no script. A page's simulated run is made here, so that it is the run that was checked; a real one is the
one whose history the check has kept.
"""

import concurrent.futures
import html
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import lesson as lessons
from history import BadInput, load_run
from html_page import digest, filled, page, source
from outputs import write
from results import failures, load_results
from stepper import page_of

SIGNS = {"violated": ("✗", "broken"), "no-violation": ("○", "no violation"), "holds": ("✓", "holds"),
         "unknown": ("?", "unknown"), "not-judged": ("–", "not judged")}
HEADS = {(False, "simulated"): "simulated", (False, "real"): "real", (True, "simulated"): "without the cause",
         (True, "real"): "… real"}


def run_scenario(program, file, seed):
    """A simulated run of a scenario. Raises BadInput."""
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "run", file, "--quiet", "--seed", str(seed), "--out", folder]
        try:
            done = subprocess.run(command, capture_output=True, check=False)
        except OSError as problem:
            raise BadInput(f"{program}: {problem.strerror or problem}") from None
        if done.returncode not in (0, 1, 2):
            said = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["it did not run"]
            raise BadInput(said[0].removeprefix("lockproof: "))
        return load_run(folder)


# -- of check

def write_check_site(path, options):
    """The table, and a page for each scenario that can be run again; returns what could not be."""
    entries = load_results(path)
    shown = _shown(entries)
    names = {of[0]["file"]: name for of, name in zip(shown, page_names([of[0] for of in shown]))}
    options.out.mkdir(parents=True, exist_ok=True)
    problems, titles = [], {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
        jobs = [workers.submit(_check_page, of, path.parent, names[of[0]["file"]], options) for of in shown]
        for of, job in zip(shown, jobs):
            try:
                titles[of[0]["file"]] = job.result()
            except BadInput as problem:
                problems.append(str(problem))
                del names[of[0]["file"]]
    target = options.out / "index.html"
    write(target, check_index(entries, names, titles).encode())
    print(f"pages: {len(names)}, one for each scenario")
    for problem in problems:
        print(f"report: no page: {problem}", file=sys.stderr)
    print(f"page: {target}")


def _shown(entries):
    """By scenario, what can be stepped through: its simulated run, and a real one that was kept."""
    found = {}
    for entry in entries:
        if entry["world"] == "simulated" or isinstance(entry.get("history"), str):
            found.setdefault(entry["file"], []).append(entry)
    return list(found.values())


def page_names(entries):
    """The file of each scenario's page: its name, with those of folders where two have one name."""
    stems = [entry["scenario"].replace("/", "-") for entry in entries]
    return [(stem if stems.count(stem) == 1 else f"{Path(entry['file']).parent.name}-{stem}") + ".html"
            for entry, stem in zip(entries, stems)]


def _check_page(entries, folder, name, options):
    """Writes the page of a scenario's runs, side by side; returns its title."""
    runs = [run_scenario(options.program, entry["file"], entry.get("seed", 1)) if entry["world"] == "simulated"
            else load_run(folder / entry["history"]) for entry in entries]
    data = page_of(runs, options.program, options.what_if)
    write(options.out / name, page(data, ("index.html", "All scenarios")).encode())
    return data["title"]


def check_index(entries, names, titles):
    rows, columns = [], [one for one in HEADS if one[1] in {entry["world"] for entry in entries}]
    for algorithm, members in failures(entries).items():
        name = html.escape(algorithm)
        rows.append(f'<tr><th colspan="{len(columns) + 1}" class="group"><code>{name}</code></th></tr>')
        rows += [_row(failure, columns, entries, names, titles) for failure in members]
    head = "".join(f'<th scope="col">{words}</th>' for words in ("scenario", *(HEADS[one] for one in columns)))
    count = sum(len(members) for members in failures(entries).values())
    legend = " · ".join(f"{sign} {words}" for sign, words in SIGNS.values())
    body = f"<main><table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table><p>{legend}</p></main>"
    about = f"{count} scenario{'' if count == 1 else 's'}. Each name leads to a page that steps through its run."
    return index_page("Which lock breaks where", about, entries[0].get("lockproof", ""), body)


def _row(failure, columns, entries, names, titles):
    own, twin = ([entry["file"] for entry in entries if _belongs(entry, failure, is_twin)] for is_twin in (False, True))
    file = next(iter(own), "")
    name = html.escape(failure.name)
    link = f'<a href="{html.escape(names[file])}">{name}</a>' if file in names else name
    title = html.escape(titles.get(file, ""))
    cells = "".join(_cell(failure.twin if is_twin else failure.results, world,
                          names.get(next(iter(twin), "")) if is_twin else None) for is_twin, world in columns)
    return f'<tr><th scope="row">{link}<br><span class="soft">{title}</span></th>{cells}</tr>'


def _belongs(entry, failure, is_twin):
    return (entry["scenario"].removesuffix("-twin"), entry["scenario"].endswith("-twin")) == (failure.name, is_twin)


def _cell(results, world, link):
    one = results.get(world)
    if one is None:
        return "<td></td>"
    sign, words = SIGNS[one.verdict]
    text = f"{sign} {html.escape(', '.join(one.broken) or words)}"
    text = f'<a href="{html.escape(link)}">{text}</a>' if link and world == "simulated" else text
    missed = "" if one.as_expected else ' <b class="bad">not as expected</b>'
    return f'<td class="{"bad" if one.verdict == "violated" else ""}">{text}{missed}</td>'


# -- of a lesson

def write_lesson(path, options):
    lesson = lessons.load_lesson(path)
    made = []
    for number, part in enumerate(lesson.parts, start=1):
        run = run_scenario(options.program, part.scenario, 1)
        ask = lambda page_run, part=part: lessons.questions_of(lesson, part, page_run)
        data = page_of([run], options.program, True, (part.title, ask if part.questions else None))
        name = f"part-{number}.html"  # a scenario's name may be the answer
        made.append((name, page(data, ("index.html", lesson.title)), data["title"]))
    options.out.mkdir(parents=True, exist_ok=True)
    for name, text, _ in made:
        write(options.out / name, text.encode())
    target = options.out / "index.html"
    write(target, lesson_index(lesson, made).encode())
    print(f"pages: {len(made)}, one for each part")
    print(f"page: {target}")


def lesson_index(lesson, made):
    parts, begins = [], 0
    for number, (part, (name, _, title)) in enumerate(zip(lesson.parts, made), start=1):
        when = f"minute {begins} to {begins + part.minutes}" if part.minutes else ""
        begins += part.minutes
        asked = "".join(_question(one) for one in part.questions)
        words = "The question" if len(part.questions) == 1 else f"The {len(part.questions)} questions"
        aim = f"<p>{html.escape(part.aim)}</p>"
        aim = f"<details><summary>The aim</summary>{aim}</details>" if asked else aim
        parts.append(f'<section class="part"><p class="soft">{number} · {when}</p>'
                     f'<h2><a href="{html.escape(name)}">{html.escape(title)}</a></h2>'
                     f"<details><summary>{words if asked else 'The aim'}</summary>"
                     f"<ol>{asked}</ol>{aim}</details></section>")
    return index_page(lesson.title, lesson.about, "", f"<main>{''.join(parts)}</main>")


def _question(one):
    choices = " / ".join(html.escape(str(choice)) for choice in one["choices"])
    return (f'<li>{html.escape(one["ask"])} <span class="soft">{choices}</span><details><summary>Answer</summary>'
            f'<p><b>{html.escape(one["answer"])}.</b> {html.escape(one["why"])}</p></details></li>')


def index_page(title, about, version, body):
    style = source("page.css")
    return filled("index.html", {"title": html.escape(title), "about": html.escape(about), "style": style,
                                 "style-hash": digest(style), "version": html.escape(version), "body": body})
