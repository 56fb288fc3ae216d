import { Button, Group, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { useText } from '../lib/language.tsx'
import { bilingual } from '../lib/texts.ts'
import { Conflict } from './conflict.tsx'
import { ErrorNotice } from './error-notice.tsx'
import type { Edit } from './use-edit.ts'

const texts = bilingual({ save: ['Save', '保存'], discard: ['Discard changes', '放弃修改'] })

interface EditFormProps<State, Values> {
  readonly edit: Edit<State, Values>
  /** What two people may have changed, by its label. */
  readonly shown: (state: State) => Readonly<Record<string, unknown>>
  /** The fields. */
  readonly children: ReactNode
  /** What is pressed below them; absent: to save, and to discard. */
  readonly buttons?: ReactNode
}

/** The form of a thing that is edited: its fields, what another person has changed, and saving. */
export function EditForm<State, Values>({
  edit,
  shown,
  children,
  buttons,
}: EditFormProps<State, Values>) {
  const { form, seen, present, error } = edit
  return (
    <form onSubmit={form.onSubmit(edit.save)} noValidate>
      <Stack>
        {children}
        {present && (
          <Conflict
            seen={seen}
            present={present}
            show={shown}
            isWhole={edit.isWhole}
            takeTheirs={() => edit.showInForm(present)}
            keepMine={() => void edit.keepMine()}
          />
        )}
        {error !== null && <ErrorNotice error={error} />}
        {buttons ?? <Buttons edit={edit} />}
      </Stack>
    </form>
  )
}

function Buttons<State, Values>({ edit }: Pick<EditFormProps<State, Values>, 'edit'>) {
  const text = useText(texts)
  return (
    <Group>
      <Button type="submit" loading={edit.form.submitting} disabled={!edit.isTyped}>
        {text.save}
      </Button>
      {edit.isTyped && (
        <Button variant="subtle" onClick={edit.discard}>
          {text.discard}
        </Button>
      )}
    </Group>
  )
}
