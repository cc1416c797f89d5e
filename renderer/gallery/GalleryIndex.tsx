import { type ReactNode, useState } from "react";
import { Select } from "../ui/controls/Select.tsx";
import type { Story } from "./story.ts";

/** Shows each story in a frame of its own size. */
export function GalleryIndex({ stories }: { readonly stories: readonly Story[] }): ReactNode {
  const [theme, setTheme] = useState("light");
  return (
    <main className="grid gap-8 p-6">
      <div className="flex items-end justify-between">
        <h1 className="text-xl font-semibold">Gallery</h1>
        <Select
          label="Theme"
          value={theme}
          options={[
            { value: "light", label: "Light" },
            { value: "dark", label: "Dark" },
          ]}
          onChange={setTheme}
        />
      </div>
      {(["Components", "Panel", "Console"] as const).map((group) => (
        <section key={group} className="grid gap-3">
          <h2 className="text-base font-semibold">{group}</h2>
          <div className="flex flex-wrap gap-6">
            {stories
              .filter((story) => story.group === group)
              .map(({ id, size: [width, height] }) => {
                const address = `?story=${id}&theme=${theme}`;
                return (
                  <figure key={id} className="grid gap-1">
                    <figcaption>
                      <a href={address} className="text-accent underline">
                        {id}
                      </a>
                    </figcaption>
                    <iframe
                      title={id}
                      src={address}
                      width={width}
                      height={height}
                      loading="lazy"
                      className="rounded-md border border-line"
                    />
                  </figure>
                );
              })}
          </div>
        </section>
      ))}
    </main>
  );
}
