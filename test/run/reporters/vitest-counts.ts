import type { Reporter, TestCase, TestModule } from "vitest/node";
import { add, type Counts, none, summaryOf, writeCounts } from "../counts.ts";

/** Writes the counts of a run of Vitest. A file or a suite that could not begin counts as one failure. */
export default class VitestCounts implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly { readonly message: string }[]): void {
    const counts = [...modules].map(countsOfModule);
    const others = unhandled.map(({ message }) => failure("an unhandled error", "", message));
    writeCounts([...counts, ...others].reduce(add, none));
  }
}

const failure = (file: string, name: string, reason: string): Counts => ({
  ...none,
  failed: 1,
  failures: [summaryOf(file, name, reason)],
});

function countsOfModule(module: TestModule): Counts {
  const ofTests = [...module.children.allTests()].map(countsOfTest);
  const suites = [module, ...module.children.allSuites()];
  const ofSuites = suites.flatMap((suite) =>
    suite.errors().map(({ message }) => failure(module.moduleId, "name" in suite ? suite.name : "", message)),
  );
  return [...ofTests, ...ofSuites].reduce(add, none);
}

function countsOfTest(test: TestCase): Counts {
  const { state, errors = [] } = test.result();
  const reason = errors[0]?.stack ?? errors[0]?.message ?? "";
  const { moduleId } = test.module;
  if (state === "failed") return failure(moduleId, test.fullName, reason);
  if (state === "skipped") return { ...none, skipped: 1 };
  const isSecond = test.diagnostic()?.flaky === true;
  const secondTries = isSecond ? [summaryOf(moduleId, test.fullName, reason)] : [];
  return { ...none, passed: 1, secondTries };
}
