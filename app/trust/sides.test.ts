import { describe, expect, it } from "vitest";
import { areOneOwner, areOneSide, countSides, type Owner, type Side } from "./sides.ts";

const ann: Owner = { id: "ann", teams: ["office"] };
const bob: Owner = { id: "bob", teams: ["office"] };
const cleo: Owner = { id: "cleo", teams: [] };
const office: Owner = { id: "office", teams: [] };
const of = (owner: Owner, device: string): Side => ({ device, owner });

describe("owners", () => {
  it("are one if they are the same, or one is a team of the other", () => {
    expect(areOneOwner(ann, { ...ann })).toBe(true);
    expect(areOneOwner(ann, office)).toBe(true);
    expect(areOneOwner(office, ann)).toBe(true);
  });

  it("are two if they only are in the same team", () => {
    expect(areOneOwner(ann, bob)).toBe(false);
  });
});

describe("devices", () => {
  it("of one owner have one voice", () => {
    expect(areOneSide(of(ann, "a1"), of(ann, "a2"))).toBe(true);
    expect(areOneSide(of(ann, "a1"), of(bob, "b1"))).toBe(false);
  });

  it("of the organization have a voice each", () => {
    expect(areOneSide({ device: "a" }, { device: "a" })).toBe(true);
    expect(areOneSide({ device: "a" }, { device: "b" })).toBe(false);
    expect(areOneSide({ device: "a" }, of(ann, "a1"))).toBe(false);
  });

  it("that somebody handed over have one voice with that person's other devices", () => {
    const given = (owner: Owner, device: string): Side => ({ device, owner, givers: [ann] });
    expect(areOneSide(given(bob, "a2"), of(ann, "a1"))).toBe(true);
    expect(areOneSide(given(bob, "a2"), given(cleo, "a3"))).toBe(true);
    expect(areOneSide(given(bob, "a2"), of(office, "o1"))).toBe(true);
    expect(areOneSide({ device: "a4", givers: [ann] }, of(ann, "a1"))).toBe(true);
    expect(areOneSide(given(bob, "a2"), of(cleo, "c1"))).toBe(false);
  });

  it("of two teams with a common member have one voice", () => {
    const team = (id: string, ...members: string[]): Owner => ({ id, teams: [], members });
    expect(areOneSide(of(team("A", "ann", "bob"), "1"), of(team("B", "cleo", "ann"), "2"))).toBe(true);
    expect(areOneSide(of(team("A", "ann", "bob"), "1"), of(team("B", "cleo"), "2"))).toBe(false);
  });

  it("are counted in each order", () => {
    const members = [of(ann, "a1"), of(bob, "b1"), of({ ...cleo, teams: ["office"] }, "c1")];
    expect(countSides([of(office, "o1"), ...members])).toBe(3);
    expect(countSides([...members, of(office, "o1")])).toBe(3);
    expect(countSides([of(office, "o1"), of(ann, "a1"), of(bob, "b1")])).toBe(2);
  });

  it("are counted by sides, up to the three that a verdict needs", () => {
    expect(countSides([])).toBe(0);
    expect(countSides([of(ann, "a1"), of(ann, "a2"), of(office, "o1")])).toBe(1);
    expect(countSides([of(ann, "a1"), of(ann, "a2"), { device: "b" }])).toBe(2);
    expect(countSides(["a", "b", "c", "d"].map((device) => ({ device })))).toBe(3);
  });
});
