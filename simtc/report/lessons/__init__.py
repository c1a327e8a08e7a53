"""Lessons: notebooks that let one predict, run and explain, and tell right answers from wrong ones."""

from simtc.report.lessons.lesson import LESSONS, Lesson, lesson
from simtc.report.lessons.question import Question, Verdict

__all__ = ["LESSONS", "Lesson", "Question", "Verdict", "lesson"]
