/** Requests to read, copy and run. Called by api-screen; calls example-texts for the texts and run-example to run one. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button } from "../elements/button.tsx";
import { useApp } from "../state/app-state.ts";
import { copyText } from "../state/copy-text.ts";
import { curlText, type Example, examplesFor, fetchText } from "./example-texts.ts";
import { type Outcome, runExample } from "./run-example.ts";
import "./examples.css";

/** Where a headless node answers, unless it was told otherwise. */
const HEADLESS_ORIGIN = "http://127.0.0.1:8081";
const USUAL_DIMENSION = 384;

export function Examples() {
  const { vx, files, host, toasts } = useApp();
  const dimension = useSignal(USUAL_DIMENSION);
  const chosen = useSignal(0);
  const spelling = useSignal<"fetch" | "curl">("fetch");
  const outcome = useSignal<Outcome | undefined>(undefined);
  const isBusy = useSignal(false);

  useEffect(() => {
    // The usual one will do where the index can't be asked.
    vx.metrics().then(
      (metrics) => (dimension.value = metrics.dimension || USUAL_DIMENSION),
      () => undefined,
    );
  }, [vx, dimension]);

  const examples = examplesFor(dimension.value, files.value.value?.[0]?.id);
  const example = examples[chosen.value] ?? (examples[0] as Example);
  const text = spelling.value === "fetch" ? fetchText(example) : curlText(example, HEADLESS_ORIGIN);

  const choose = (index: number) => {
    chosen.value = index;
    outcome.value = undefined;
  };
  const run = async () => {
    const index = chosen.value;
    isBusy.value = true;
    const answer = await runExample(host, example);
    isBusy.value = false;
    // It stands below the example that it is of, or nowhere.
    if (chosen.value === index) outcome.value = answer;
  };

  return (
    <section class="api-section" aria-labelledby="examples-title">
      <h2 id="examples-title">Examples</h2>
      <div class="examples">
        <ul class="examples-list" aria-label="Examples">
          {examples.map(({ title, method }, index) => (
            <li key={title}>
              <button type="button" aria-pressed={index === chosen.value} onClick={() => choose(index)}>
                {title} <span class="quiet small">{method}</span>
              </button>
            </li>
          ))}
        </ul>
        <div class="examples-one">
          <p>{example.about}</p>
          <div class="examples-spelling">
            <fieldset>
              <legend class="unseen">Written with</legend>
              <Button pressed={spelling.value === "fetch"} onClick={() => (spelling.value = "fetch")}>
                fetch
              </Button>
              <Button pressed={spelling.value === "curl"} onClick={() => (spelling.value = "curl")}>
                curl
              </Button>
            </fieldset>
            <span class="examples-gap" />
            <Button weight="bare" icon="copy" onClick={() => void copyText(toasts, text, "Copied.")}>
              Copy
            </Button>
            <Button
              icon="play"
              weight="main"
              disabled={example.whyNotRun !== undefined || spelling.value === "curl"}
              busy={isBusy.value}
              onClick={() => void run()}
            >
              Run
            </Button>
          </div>
          <Scrolling label="The example" text={text} />
          <p class="quiet small">
            {spelling.value === "fetch"
              ? "Paste it into this page's console, or into any script of this origin: the node in the page answers."
              : "For a headless node (shoal --enable-api): put the key that shoal generate-api-key prints into SHOAL_API_KEY. A node in a page can be reached by scripts of its origin alone."}
          </p>
          {example.whyNotRun !== undefined && spelling.value === "fetch" && (
            <p class="quiet small">{example.whyNotRun}</p>
          )}
          {outcome.value !== undefined && <Answer outcome={outcome.value} />}
        </div>
      </div>
    </section>
  );
}

function Answer({ outcome }: { outcome: Outcome }) {
  return (
    <div class="examples-answer">
      <p class="small" role="status">
        <strong class={outcome.isRefusal ? "refused" : "granted"}>{outcome.status}</strong>{" "}
        <span class="quiet figures">{outcome.tookMs.toFixed(1)} ms</span>
      </p>
      <Scrolling label="The answer" text={outcome.text} />
    </div>
  );
}

/** What scrolls must be reached by keyboard, and so have a name. */
function Scrolling({ label, text }: { label: string; text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <section class="examples-code" tabIndex={0} aria-label={label}>
      <pre>{text}</pre>
    </section>
  );
}
