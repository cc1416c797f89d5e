import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { StartGate } from "./start-gate.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function world() {
  const state = { connected: false, known: false, begun: 0 };
  const gate = new StartGate(
    { connected: () => state.connected, known: () => state.known, begin: () => (state.begun += 1) },
    3_000,
  );
  return { state, gate };
}

describe("StartGate", () => {
  it("waits for a connection and for the membership", () => {
    const { state, gate } = world();
    state.connected = true;
    expect(gate.update()).toBe(false);
    expect(state.begun).toBe(0);
    state.known = true;
    expect(gate.update()).toBe(false);
    expect(state.begun).toBe(1);
    expect(gate.update()).toBe(true);
    vi.advanceTimersByTime(10_000);
    expect(state.begun).toBe(1);
  });

  it("starts without them after its time limit", () => {
    const { state, gate } = world();
    vi.advanceTimersByTime(2_999);
    expect(state.begun).toBe(0);
    vi.advanceTimersByTime(1);
    expect(state.begun).toBe(1);
    expect(gate.update()).toBe(true);
  });

  it("remembers a connection that was lost before the start", () => {
    const { state, gate } = world();
    state.connected = true;
    gate.update();
    state.connected = false;
    state.known = true;
    gate.update();
    expect(gate.everConnected).toBe(true);
    expect(state.begun).toBe(1);
  });

  it("never starts after it was stopped", () => {
    const { state, gate } = world();
    gate.stop();
    vi.advanceTimersByTime(10_000);
    expect(state.begun).toBe(0);
  });
});
