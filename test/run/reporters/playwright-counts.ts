import type { Reporter, Suite, TestCase, TestError } from "@playwright/test/reporter";
import { add, type Counts, none, summaryOf, writeCounts } from "../counts.ts";

/** Writes the counts of a run of Playwright. */
export default class PlaywrightCounts implements Reporter {
  readonly #errors: Counts[] = [];
  #suite: Suite | null = null;

  onBegin(_: unknown, suite: Suite): void {
    this.#suite = suite;
  }

  /** An error outside of all tests. */
  onError({ message = "" }: TestError): void {
    this.#errors.push({ ...none, failed: 1, failures: [message] });
  }

  onEnd(): void {
    const tests = this.#suite?.allTests().map(countsOfTest) ?? [];
    writeCounts([...tests, ...this.#errors].reduce(add, none));
  }

  printsToStdio(): boolean {
    return false;
  }
}

function countsOfTest(test: TestCase): Counts {
  const reasons = test.results.flatMap(({ errors }) => errors.map(({ message = "" }) => message));
  const words = summaryOf(test.location.file, test.title, reasons[0] ?? "");
  switch (test.outcome()) {
    case "expected":
      return { ...none, passed: 1 };
    case "flaky":
      return { ...none, passed: 1, secondTries: [words] };
    case "skipped":
      return { ...none, skipped: 1 };
    case "unexpected":
      return { ...none, failed: 1, failures: [words] };
  }
}
