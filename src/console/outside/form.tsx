import { createContext, type ReactNode, type SubmitEvent, useContext, useId, useState } from 'react'
import { problemsIn, problemText } from '../lib/failure-words.ts'
import { bilingual, useText } from '../lib/language.ts'
import { Failure } from './notice.tsx'

/** What was typed, by the names of fields. */
export interface Entry {
  text(name: string): string
  isTicked(name: string): boolean
}

/** What is wrong, by the names of fields. */
type Problems = Readonly<Record<string, string>>

const FieldProblems = createContext<Problems>({})

interface EntryFormProps {
  /** Sends what is typed. A refusal is shown at the fields that it names, or below them. */
  readonly send: (entry: Entry) => Promise<unknown>
  /** What is wrong before anything is sent. */
  readonly check?: (entry: Entry) => Problems
  readonly submit: string
  readonly children: ReactNode
}

/** A form of plain fields that is sent. */
export function EntryForm({ send, check, submit, children }: EntryFormProps) {
  const [problems, setProblems] = useState<Problems>({})
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)

  async function press(event: SubmitEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    const form = event.currentTarget
    const entry = entryOf(new FormData(form))
    const found = check?.(entry) ?? {}
    setError(null)
    setProblems(found)
    if (focusFirst(form, found)) return
    setBusy(true)
    try {
      await send(entry)
    } catch (failure) {
      const refused = Object.fromEntries(
        problemsIn(failure).map((problem) => [problem.field, problemText(problem)]),
      )
      setProblems(refused)
      if (!focusFirst(form, refused)) setError(failure)
    } finally {
      setBusy(false)
    }
  }

  return (
    <form className="fields" onSubmit={(event) => void press(event)}>
      <FieldProblems value={problems}>{children}</FieldProblems>
      {error !== null && <Failure error={error} />}
      <button type="submit" className="button main" disabled={isBusy} aria-busy={isBusy}>
        {submit}
      </button>
    </form>
  )
}

const entryOf = (data: FormData): Entry => ({
  text: (name) => String(data.get(name) ?? ''),
  isTicked: (name) => data.has(name),
})

/** Moves the focus to the first field that has a problem; false: the form has none of them. */
function focusFirst(form: HTMLFormElement, problems: Problems): boolean {
  const fields = [...form.querySelectorAll('input')]
  const first = fields.find(({ name }) => Object.hasOwn(problems, name))
  first?.focus()
  return first !== undefined
}

interface FieldProps extends React.ComponentProps<'input'> {
  readonly name: string
  readonly label: string
  readonly hint?: string | undefined
  /** Takes the focus when it appears. */
  readonly hasFocus?: boolean
}

const focus = (input: HTMLInputElement | null) => input?.focus()

/** A field of one line. */
export const Field = ({ label, hint, hasFocus, ...input }: FieldProps) => (
  <Labelled {...{ label, hint, name: input.name }}>
    {(described) => (
      <input type="text" required ref={hasFocus ? focus : undefined} {...input} {...described} />
    )}
  </Labelled>
)

const secretText = bilingual({
  show: ['Show', '显示'],
  hide: ['Hide', '隐藏'],
  label: ['Show or hide the password', '显示或隐藏密码'],
})

/** A field for a password, which can be shown. */
export function Secret({ label, hint, ...input }: FieldProps) {
  const text = useText(secretText)
  const [isShown, setShown] = useState(false)
  return (
    <Labelled {...{ label, hint, name: input.name }}>
      {(described) => (
        <span className="secret">
          <input type={isShown ? 'text' : 'password'} required {...input} {...described} />
          <button
            type="button"
            title={text.label}
            aria-pressed={isShown}
            onClick={() => setShown(!isShown)}
          >
            {isShown ? text.hide : text.show}
          </button>
        </span>
      )}
    </Labelled>
  )
}

/** A box to tick. */
export const Tick = ({ label, hint: _, ...input }: FieldProps) => (
  <label className="tick">
    <input type="checkbox" {...input} />
    {label}
  </label>
)

interface Described {
  readonly id: string
  readonly 'aria-invalid': boolean
  readonly 'aria-describedby': string | undefined
}

interface LabelledProps extends Pick<FieldProps, 'name' | 'label' | 'hint'> {
  readonly children: (described: Described) => ReactNode
}

function Labelled({ name, label, hint, children }: LabelledProps) {
  const id = useId()
  const problem = useContext(FieldProblems)[name]
  const about = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ')
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {hint && (
        <p id={`${id}-hint`} className="hint">
          {hint}
        </p>
      )}
      {children({
        id,
        'aria-invalid': problem !== undefined,
        'aria-describedby': about || undefined,
      })}
      {problem !== undefined && (
        <p id={`${id}-problem`} className="problem">
          {problem}
        </p>
      )}
    </div>
  )
}
