import { expect, it } from "vitest";
import { jobErrorCodes } from "../jobs/chat.ts";
import { contextExceeded, jobErrors, reportedError } from "./job-errors.ts";

const { code, message } = contextExceeded(5_000, 4_096);
const withoutNumbers = "The input is too long for this model's context.";

it.each([...jobErrorCodes, "result_refused"])("has a sentence of its own for %s", (each) => {
  const found = reportedError({ code: each, message: "Visit evil.example" });
  expect(found.code).toBe(each);
  expect(found.message).toMatch(/^\S.*\.$/);
  expect(found.message).not.toContain("evil");
});

it.each(["handler_error", "no_handler", "ON FIRE", "", "__proto__", "constructor"])(
  "turns the unknown code %j into internal_error",
  (unknown) => {
    expect(reportedError({ code: unknown, message: "Visit evil.example" })).toEqual({
      code: "internal_error",
      message: "A device failed at this job.",
    });
  },
);

it("keeps the runner's own sentence for an error without numbers", () => {
  const { crashed } = jobErrors;
  expect(reportedError(crashed)).toEqual({ code: crashed.code, message: crashed.message });
});

it("keeps the token counts of an input that is too long", () => {
  expect(reportedError({ code, message })).toEqual({ code, message });
});

it.each([
  `${message} Visit evil.example`,
  `Visit evil.example. ${message}`,
  message.replace("5000", "5000000000"),
  message.replace("5000", "05000"),
  message.replace("5000", "٥"),
  "",
])("drops a sentence about the context that is not ours: %j", (other) => {
  expect(reportedError({ code, message: other })).toEqual({ code, message: withoutNumbers });
});
