"""Run all benchmarks and print what they found."""

from __future__ import annotations

from . import briefs, growth, journal, model, peers, startup, survey, survey_recall, terminal


def main() -> None:
    for part in (peers, startup, growth, journal, survey, survey_recall, terminal, briefs, model):
        print(f"\n{(part.__doc__ or '').splitlines()[0]}")
        for row in part.measure():
            print(f"  {row}")


if __name__ == "__main__":
    main()
