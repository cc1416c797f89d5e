import { useQuery } from "convex/react";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { defaultAlias } from "../../../app/models/aliases.ts";
import { api } from "../../../convex/_generated/api.js";
import { messageOf } from "../data/refusal.ts";
import type { AliasRow, ModelRow } from "../data/rows.ts";
import { useAct, useScope, useSession } from "../data/session-context.ts";
import { hasOwnCertificate } from "../keys/snippets.ts";
import { AnswerCard, type Side } from "./AnswerCard.tsx";
import { askApi, nothingYet, type Progress } from "./ask-api.ts";
import { type ApiCall, emptyForm, type FormProblems, requestOf } from "./playground-request.ts";
import { PlaygroundCredits } from "./PlaygroundCredits.tsx";
import { PlaygroundView } from "./PlaygroundView.tsx";
import { usePlaygroundKey } from "./use-playground-key.ts";

export function PlaygroundPage({ apiBase }: { readonly apiBase: string }): ReactNode {
  const session = useSession();
  const catalog = useQuery(api.console.models.list, { session });
  const aliases = useQuery(api.console.aliases.list, { session });
  const joined = useQuery(api.console.codes.joinAddress, { session });
  const state = useQuery(api.console.playground.state, { session });
  const setCredits = useAct(api.console.playground.setCredits);
  const mayChangeMoney = useScope("money.change") !== null;
  const keyOf = usePlaygroundKey(state);
  const [form, setForm] = useState(emptyForm);
  const [picked, setPicked] = useState<readonly string[]>([]);
  const [sides, setSides] = useState<readonly Side[]>([]);
  const [problems, setProblems] = useState<FormProblems>({});
  const [refusal, setRefusal] = useState<string | null>(null);
  const stops = useRef<readonly AbortController[]>([]);
  useEffect(() => () => stops.current.forEach((stop) => stop.abort()), []);

  const models = useMemo(
    () => (catalog === undefined || aliases === undefined ? undefined : choicesOf(catalog, aliases)),
    [catalog, aliases],
  );
  const chosen = picked.length > 0 ? picked : (models ?? []).slice(0, 1);
  const shown = chosen.map((model, place) => {
    const side = sides[place];
    return side?.model === model ? side : { model, turns: [], asked: null };
  });
  const isRunning = shown.some(({ asked }) => asked !== null && asked.progress.end === null);

  const stop = (): void => stops.current.forEach((each) => each.abort());
  const clear = (): void => {
    stop();
    setSides([]);
    setRefusal(null);
  };
  const run = async (): Promise<void> => {
    const asked = shown.map((side) => {
      const turns = form.mode === "chat" ? continued(side) : [];
      return { model: side.model, turns, request: requestOf(form, side.model, turns) };
    });
    const wrong = asked.find(({ request }) => request.kind === "wrong")?.request;
    setProblems(wrong?.kind === "wrong" ? wrong.problems : {});
    if (wrong !== undefined) return;
    setRefusal(null);
    const controllers = asked.map(() => new AbortController());
    stops.current = controllers;
    setSides(
      asked.map(({ model, turns }) => ({ model, turns, asked: { text: form.text, progress: nothingYet } })),
    );
    if (form.mode === "chat") setForm({ ...form, text: "" });
    let apiKey: string;
    try {
      apiKey = await keyOf();
    } catch (error) {
      setSides(shown);
      setForm(form);
      setRefusal(messageOf(error));
      return;
    }
    const follow = async (call: ApiCall, place: number, signal: AbortSignal): Promise<void> => {
      const onProgress = (progress: Progress): void => {
        // A newer run has the cards now.
        if (stops.current !== controllers) return;
        setSides((all) =>
          all.map((side, at) =>
            at === place && side.asked !== null ? { ...side, asked: { ...side.asked, progress } } : side,
          ),
        );
      };
      await askApi({ apiBase, apiKey, call, signal, onProgress });
    };
    await Promise.all(
      asked.map(async ({ request }, place) => {
        const controller = controllers[place];
        if (request.kind === "ok" && controller !== undefined)
          await follow(request.call, place, controller.signal);
      }),
    );
  };
  return (
    <PlaygroundView
      server={{ apiBase, ownCertificate: hasOwnCertificate(apiBase, joined?.pin ?? null) }}
      models={models}
      chosen={chosen}
      form={form}
      problems={problems}
      state={state}
      refusal={refusal}
      isRunning={isRunning}
      answers={shown.map((side, place) => (
        <MeasuredAnswer key={place} side={side} onStop={() => stops.current[place]?.abort()} />
      ))}
      credits={
        mayChangeMoney && state !== undefined ? (
          <PlaygroundCredits
            dailyMicro={state.dailyMicro}
            onSet={(micro) => void setCredits({ micro }, "The credits of the playground were saved.")}
          />
        ) : null
      }
      onChoose={(models) => {
        stop();
        setPicked(models);
      }}
      onForm={(next) => {
        if (next.mode !== form.mode) clear();
        setForm(next);
        setProblems({});
      }}
      onRun={() => void run()}
      onStop={stop}
      onClear={clear}
    />
  );
}

/** The ids of the models that are not retired. The default model comes first. */
function choicesOf(catalog: readonly ModelRow[], aliases: readonly AliasRow[]): readonly string[] {
  const models = catalog.filter(({ retired }) => !retired).map(({ modelId }) => modelId);
  const usual = aliases.find(({ alias }) => alias === defaultAlias)?.modelId;
  return usual !== undefined && models.includes(usual)
    ? [usual, ...models.filter((model) => model !== usual)]
    : models;
}

/** The conversation with the last answer, if that was a text. An answer with tool calls or an error is not continued. */
function continued({ turns, asked }: Side): Side["turns"] {
  if (asked === null) return turns;
  const { answer, end } = asked.progress;
  if (end === null || end.kind === "failed" || answer.text === "") return turns;
  return [...turns, { role: "user", content: asked.text }, { role: "assistant", content: answer.text }];
}

/** An answer with its job's measures, which the server tells once the API has named the job. */
function MeasuredAnswer({ side, onStop }: { readonly side: Side; readonly onStop: () => void }): ReactNode {
  const session = useSession();
  const jobId = side.asked?.progress.jobId ?? null;
  const measures = useQuery(api.console.playground.measures, jobId === null ? "skip" : { session, jobId });
  const isPending = side.asked !== null && side.asked.progress.end === null;
  const waits = useQuery(api.console.playground.waits, isPending ? { session } : "skip") ?? [];
  const wait = waits.find(({ modelId }) => modelId === side.model)?.wait ?? null;
  return <AnswerCard side={side} measures={measures ?? null} wait={wait} onStop={onStop} />;
}
