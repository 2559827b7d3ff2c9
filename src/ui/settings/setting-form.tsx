/**
 * One setting as a form: a text that is read into a value, with when it takes effect, the error at the field, and a Save
 * that is there once the text differs. Called by the parts of the settings; calls settings-state.
 */
import { useSignal } from "@preact/signals";
import { Button } from "../elements/button.tsx";
import { Field } from "../elements/field.tsx";
import { TextArea } from "../elements/text-area.tsx";
import { useApp } from "../state/app-state.ts";
import { messageOf } from "../state/toasts.ts";
import { useKept } from "../state/use-kept.ts";
import { type Read, refusalText } from "./setting-texts.ts";
import { effectText, type SettingName, type Settings, type SettingsPart } from "./settings-state.ts";
import "./setting-form.css";

interface SettingFormProps<N extends SettingName> extends SettingsPart {
  name: N;
  label: string;
  /** What it does. */
  about: string;
  text: (value: Settings[N]) => string;
  read: (text: string) => Read<Settings[N]>;
  placeholder?: string;
  /** A list, one a line. */
  isList?: boolean;
}

export function SettingForm<N extends SettingName>({
  state,
  settings,
  name,
  label,
  about,
  text,
  read,
  placeholder = "",
  isList = false,
}: SettingFormProps<N>) {
  const { toasts } = useApp();
  /** Undefined while nothing is typed that differs. */
  const typed = useKept<string | undefined>(`typed ${name}`, undefined);
  const error = useSignal<string | undefined>(undefined);
  const isBusy = useSignal(false);
  const kept = text(settings[name]);
  const isFixed = settings.changeable[name] === undefined;
  const isChanged = typed.value !== undefined && typed.value !== kept;

  async function save(): Promise<void> {
    const sent = typed.value;
    // Text for people may be rounded: read again it would be another value.
    if (sent === undefined || !isChanged) return;
    const reading = read(sent);
    if ("error" in reading) {
      error.value = reading.error;
      return;
    }
    isBusy.value = true;
    error.value = undefined;
    try {
      const { pending } = await state.change({ [name]: reading.value });
      if (typed.value === sent) typed.value = undefined;
      const waits = pending.includes(name);
      toasts.show({ text: waits ? `${label}: saved, from the node's next start on.` : `${label}: saved.` });
    } catch (caught) {
      error.value = refusalText(messageOf(caught), name);
    } finally {
      isBusy.value = false;
    }
  }

  /** Heard where several can be saved. */
  const which = <span class="unseen">{label}</span>;
  const shared = {
    label,
    value: typed.value ?? kept,
    hint: `${about} ${effectText(settings, name)}`,
    error: error.value,
    placeholder,
    onInput: (next: string) => {
      typed.value = next;
      error.value = undefined;
    },
  };
  return (
    <form
      class="setting-form"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      {isList ? (
        <TextArea {...shared} rows={3} readOnly={isFixed} />
      ) : (
        <Field {...shared} readOnly={isFixed} />
      )}
      {isChanged && (
        <div class="setting-form-actions">
          <Button type="submit" weight="main" busy={isBusy.value}>
            Save
            {which}
          </Button>
          <Button
            weight="bare"
            onClick={() => {
              typed.value = undefined;
              error.value = undefined;
            }}
          >
            Undo
            {which}
          </Button>
        </div>
      )}
    </form>
  );
}
