"""A logger of Snakemake (`--logger crosslingua`): one line of progress with the time left, and errors in full.

Time left follows from what jobs cost, not from how many there are. The costs of a stage say how much work is left.
They come from the files that CROSSLINGUA_COSTS names, or from a committed run (results/reference/SCALE/costs.csv). The
pace is the committed run's at first, and then more and more that of this run, where a job that takes longer than its
cost slows it.
"""

import csv
import errno
import logging
import os
import re
import shutil
import sys
import time
from collections import Counter
from collections.abc import Mapping
from logging import WARNING, LogRecord
from pathlib import Path
from threading import Event, Thread

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

from crosslingua.errors import visible
from crosslingua.places import suite

SCALES = ("demo", "full", "real")  # whose costs are read, the first that names a stage
UNKNOWN = 0.05  # processor minutes of a job of a stage that no committed run has
# Rules whose jobs have their costs under another name.
STAGES = {
    "align_vectors_searched": "align_vectors", "derive_text": "derive_text_cased",
    "measure_vectors": "measure_similarity", "write_page_so_far": "write_page",
}  # fmt: skip
MINUTES = ("processor_minutes", "wall_minutes")
EVERY = 20.0  # seconds between lines where the output is no terminal
QUIET = 300.0  # seconds after which there is a line though no job has begun or ended
ERRORS = (LogEvent.JOB_ERROR, LogEvent.GROUP_ERROR, LogEvent.ERROR)
NOTHING = "Nothing to be done"
EXPECTED = "output files of rule write_page were not present"  # the early page stands there meanwhile
CAUSES = {  # what a cluster writes into the log of a job that it ended, and why
    r"exceeded (job )?memory limit|oom[-_ ]kill|out of memory": "needed more memory than it asked for",
    r"due to time limit": "needed more time than it asked for",
    r"due to (node failure|preemption)": "lost its node",
    r"cancelled at": "was cancelled",
}
TAIL = 20_000  # characters of a log that are searched for a cause
# An error of this project among what Snakemake writes about it.
OWN_ERROR = re.compile(
    r"^(?:\w+Exception in rule [^\n]*\nError:\n  (?:\w+[.])*\w+Error: |WorkflowError in file [^\n]*/common[.]smk"
    r"[^\n]*\n)"
    r"(.*?)\s*(?=\nWildcards:|\nTraceback:|\n  File |\Z)",
    re.MULTILINE | re.DOTALL,
)
LOCKED = "Directory cannot be locked"
UNWRITABLE = re.compile(r"\[Errno \d+\] (Read-only file system)")
NO_SPACE = "|".join(map(os.strerror, (errno.ENOSPC, errno.EDQUOT)))
FULL = re.compile(rf"(?:{NO_SPACE})(?:: '(?P<file>[^'\n]+)')?|the disk of (?P<folder>[^\n]+) is full: ")
IS_FULL = " is full: free space, and the same command goes on from what is finished"
LITTLE = 100_000  # bytes: with so few on a disk, a program may be unable to say why it failed
OF_A_JOB = (
    "CalledProcessError in file"  # the error of the job follows with the same command, and with its log
)
PRIOR = 0.1  # share of the work that counts as done at the committed pace: first jobs, which are short, tell little


def minutes_by_stage(folder: str | Path = "") -> dict[str, float]:
    """Return the minutes that a job of each stage takes a core, waiting included: as expected, else as committed."""
    found: dict[str, float] = {}
    folder = folder or suite("results/reference")
    expected = filter(None, os.environ.get("CROSSLINGUA_COSTS", "").split(os.pathsep))
    for path in (*map(Path, expected), *(Path(folder, scale, "costs.csv") for scale in SCALES)):
        if not path.is_file():
            continue
        jobs, minutes = Counter(), Counter()
        with path.open(encoding="utf-8", newline="") as stream:
            for row in csv.DictReader(stream):
                jobs[row["stage"]] += int(row["jobs"])
                minutes[row["stage"]] += max(float(row[key]) for key in MINUTES if row.get(key))
        found = {stage: minutes[stage] / number for stage, number in jobs.items() if number} | found
    return found


class Progress:
    """How much of a run's work is done. `jobs` counts the jobs of each stage, `cores` how many run side by side."""

    def __init__(self, jobs: Mapping[str, int], minutes: Mapping[str, float], cores: int, now: float):
        self.minutes, self.cores, self.begun = minutes, max(1, cores), now
        self.total = sum(jobs.values())
        self.work = sum(number * self._cost(stage) for stage, number in jobs.items())
        self.done, self.done_work = 0, 0.0
        self.running: dict[int, tuple[str, float]] = {}  # stage and begin of each job

    def _cost(self, stage: str) -> float:
        return max(0.005, self.minutes.get(STAGES.get(stage, stage), UNKNOWN))

    def start(self, job: int, stage: str, now: float) -> None:
        """Note that a job has begun."""
        self.running[job] = stage, now

    def finish(self, job: int) -> None:
        """Note that a job has ended."""
        if job in self.running:
            self.done += 1
            self.done_work += self._cost(self.running.pop(job)[0])

    def minutes_left(self, now: float) -> float:
        """Return the time left: the work left at a pace between the committed run's and, more and more, this run's."""
        begun = (min(self._cost(stage), (now - start) / 60) for stage, start in self.running.values())
        done, taken = self.done_work + sum(begun), (now - self.begun) / 60
        if not self.work:
            return 0.0
        prior = PRIOR * self.work
        return max(0.0, self.work - done) * (taken + prior / self.cores) / (done + prior)

    def line(self, now: float) -> str:
        """Return the line of progress."""
        stages = ", ".join(dict.fromkeys(stage for stage, _ in self.running.values()))
        share = 100 * self.done_work / self.work if self.work else 100
        return (
            f"{self.done} of {self.total} jobs, {share:.0f} % of the work; {duration((now - self.begun) / 60)} so far, "
            f"about {duration(self.minutes_left(now))} left" + (f"; {stages}" if stages else "")
        )


def duration(minutes: float) -> str:
    """Return a time in words: 40 s, 12 min, 3 h 5 min."""
    if minutes < 1:
        return f"{60 * minutes:.0f} s"
    whole = round(minutes)
    return f"{whole} min" if whole < 60 else f"{whole // 60} h {whole % 60} min"


def own_error(text: str) -> str:
    """Return the message of an error of this project in Snakemake's output; "" where there is none."""
    found = OWN_ERROR.search(text)
    return found[1] if found else ""


def in_words(text: str) -> str:
    """Return in words of ours what Snakemake, or the log of a job, says of a folder that can't be used or of a full
    disk; "" of anything else.
    """
    if LOCKED in text:
        from crosslingua.workflow.locks import told_locked  # which no run needs otherwise

        return told_locked(Path.cwd())
    if found := UNWRITABLE.search(text):
        return f"{found[1].lower()} ({Path.cwd()}): work in a folder that you can write to"
    if found := FULL.search(text):
        return told_full(found["folder"] or (Path(found["file"]).absolute().parent if found["file"] else "."))
    return ""


def told_full(folder: str | Path) -> str:
    """Return in words that the disk of a folder is full."""
    return f"the disk of {Path(folder).absolute()}{IS_FULL}"


def full_disk(record: LogRecord) -> str:
    """Return in words which disk is full if that is why the job of an error could not write its log; "" if not."""
    logs = [Path(log) for log in getattr(record, "log", None) or ()]
    if any(log.is_file() and log.stat().st_size for log in logs):
        return ""
    folders = (log.parent for log in logs if log.parent.is_dir())
    return next((told_full(one) for one in folders if shutil.disk_usage(one).free < LITTLE), "")


def causes(record: LogRecord) -> list[str]:
    """Return why a cluster ended the job or the group of jobs of an error, by its log. Logs of jobs that are empty say
    so too: what was killed could not write any.
    """
    jobs = getattr(record, "job_error_info", None) or [vars(record)]
    written = list(getattr(record, "aux_logs", None) or ())
    for job in jobs:
        written += job.get("log") or ()
    path, cause = next(((path, cause) for path in written if (cause := _cause(Path(path)))), ("", ""))
    if not cause:
        return []
    rules = ", ".join(dict.fromkeys(job["rule_name"] for job in jobs))
    said = f"{rules} {cause}, by the cluster's log {path}"
    for log in map(Path, written):
        if log.is_file() and not log.stat().st_size:
            log.write_text(f"{said}\n", encoding="utf-8")
    return [said]


def _cause(log: Path) -> str:
    end = log.read_text(encoding="utf-8", errors="replace")[-TAIL:] if log.is_file() else ""
    return next((cause for pattern, cause in CAUSES.items() if re.search(pattern, end, re.IGNORECASE)), "")


class LogHandler(LogHandlerBase):
    """Write the progress to standard error, in place where that is a terminal; other messages above it."""

    def __post_init__(self) -> None:
        self.progress: Progress | None = None
        self.dry_run = getattr(self.common_settings, "dryrun", False)
        self.cores, self.submitted, self.shown = 1, 0, -EVERY
        self.stream = sys.stdout if getattr(self.common_settings, "stdout", False) else sys.stderr
        self.terminal = self.stream.isatty()
        self.closed, self.told = Event(), set[str]()
        logging.raiseExceptions = False  # a full disk gives no traceback for each line of Snakemake's own log

    writes_to_stream = property(lambda self: True)  # it takes the place of Snakemake's own output
    writes_to_file = has_formatter = has_filter = needs_rulegraph = property(lambda self: False)

    def emit(self, record: LogRecord) -> None:
        """Count the jobs of a record; write errors, warnings and records without an event."""
        event, now = getattr(record, "event", None), time.monotonic()
        if event == LogEvent.RESOURCES_INFO and getattr(record, "cores", None):
            self.cores = int(record.cores)
        elif event == LogEvent.RESOURCES_INFO and getattr(record, "nodes", None):
            self.submitted = int(record.nodes)
        elif event == LogEvent.RUN_INFO and getattr(record, "stats", None) and self.progress is None:
            self._begin(record.stats, now)
        elif event == LogEvent.JOB_INFO and self.progress:
            self.progress.start(record.jobid, record.rule_name, now)
            self._show(now)
        elif event == LogEvent.JOB_FINISHED and self.progress:
            self.progress.finish(record.job_id)
            self._show(now)
        elif self._is_shown(record):
            for cause in causes(record):
                self._write(cause)
            text = self.format(record)
            message = own_error(text) or in_words(text) or full_disk(record)
            told = IS_FULL if message.endswith(IS_FULL) else message
            if message and told in self.told:  # Snakemake tells some errors twice, and a full disk gives many
                return
            self.told.add(told)
            self._write(f"error: {message}" if message else text)

    def close(self) -> None:
        """Show no more progress."""
        self.closed.set()
        super().close()

    def _is_shown(self, record: LogRecord) -> bool:
        failed = getattr(record, "event", None) in ERRORS or record.levelno >= WARNING
        told = record.getMessage()
        if OF_A_JOB in told or EXPECTED in told:
            return False
        return self.dry_run or failed or told.startswith(NOTHING)

    def _begin(self, stats: Mapping[str, int], now: float) -> None:
        jobs = {stage: number for stage, number in stats.items() if stage != "total"}
        self.progress = Progress(jobs, minutes_by_stage(), self.cores, now)
        if self.dry_run:
            self._write(f"{self.progress.total} jobs.")
            return
        Thread(target=self._show_during_long_jobs, daemon=True).start()
        if self.submitted:  # when they start is up to the cluster
            self._write(f"{self.progress.total} jobs, at most {self.submitted} submitted at a time.")
            return
        expected = duration(self.progress.minutes_left(now))
        self._write(f"{self.progress.total} jobs on {self.cores} cores: about {expected}.")

    def _show(self, now: float) -> None:
        if self.dry_run:
            return
        done = self.progress.done == self.progress.total
        if self.terminal:
            self.stream.write(f"\r\x1b[K{self.progress.line(now)}" + "\n" * done)
        elif done or now - self.shown >= EVERY:
            self.stream.write(f"{self.progress.line(now)}\n")
            self.shown = now
        self.stream.flush()

    def _show_during_long_jobs(self) -> None:
        while not self.closed.wait(EVERY) and self.progress.done < self.progress.total:
            now = time.monotonic()
            with self.lock:
                if self.terminal or now - self.shown >= QUIET:
                    self._show(now)

    def _write(self, text: str) -> None:
        self.stream.write(("\r\x1b[K" if self.terminal else "") + visible(text) + "\n")
        self.stream.flush()
