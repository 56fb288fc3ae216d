import { Button, CloseButton, FileButton, Group, Stack, Text, Textarea } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { type AskedImage, dataUrl } from '../../../look/question.ts'
import { useText } from '../../lib/language.ts'
import { SmallHint } from '../../parts/text.tsx'
import { texts } from './text.ts'

/** What is typed and attached, and not asked yet. */
export interface Draft {
  readonly user: string
  readonly images: readonly AskedImage[]
}

const imageTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif']
const maxImageBytes = 5_000_000

interface ComposerProps {
  readonly draft: Draft
  readonly setDraft: (draft: Draft) => void
  readonly isAsking: boolean
  /** False: a model that was chosen is not known to take any. */
  readonly takesImages: boolean
  readonly onAsk: () => void
  readonly onStop: () => void
  /** Absent: there is nothing to clear. */
  readonly onClear?: (() => void) | undefined
}

/** Where the next question is written. */
export function Composer(props: ComposerProps) {
  const { draft, setDraft, isAsking, takesImages, onAsk, onStop, onClear } = props
  const text = useText(texts)
  const [problem, setProblem] = useState('')
  const latest = useRef(draft)
  useEffect(() => {
    latest.current = draft
  }, [draft])
  const attach = async (files: readonly File[]) => {
    const fitting = files.filter(
      ({ type, size }) => imageTypes.includes(type) && size <= maxImageBytes,
    )
    setProblem(fitting.length < files.length ? text.imageRefused : '')
    const images = await Promise.all(fitting.map(readImage))
    const { user, images: before } = latest.current
    const known = new Map([...before, ...images].map((image) => [image.data, image]))
    setDraft({ user, images: [...known.values()] })
  }
  const isEmpty = draft.user.trim() === ''
  const send = () => {
    if (isEmpty) setProblem(text.required)
    else if (!isAsking) onAsk()
  }
  return (
    <Stack gap="xs" className="composer">
      <Textarea
        {...{ label: text.user, autosize: true, minRows: 3, maxRows: 16, value: draft.user }}
        description={text.userHint}
        error={problem}
        onChange={({ currentTarget: { value } }) => {
          setProblem('')
          setDraft({ ...draft, user: value })
        }}
        onPaste={({ clipboardData: { files } }) => {
          if (files.length > 0) void attach([...files])
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send()
        }}
      />
      <Images
        images={draft.images}
        remove={(image) =>
          setDraft({ ...draft, images: draft.images.filter((one) => one !== image) })
        }
      />
      <Group gap="xs">
        <Button disabled={isAsking} onClick={send}>
          {text.ask}
        </Button>
        {isAsking && (
          <Button variant="default" onClick={onStop}>
            {text.stop}
          </Button>
        )}
        <FileButton multiple accept={imageTypes.join(',')} onChange={(files) => void attach(files)}>
          {(button) => (
            <Button {...button} variant="default">
              {text.attach}
            </Button>
          )}
        </FileButton>
        {onClear && (
          <Button variant="subtle" onClick={onClear}>
            {text.clear}
          </Button>
        )}
        {draft.images.length > 0 && !takesImages && (
          <SmallHint role="status">{text.noImages}</SmallHint>
        )}
      </Group>
    </Stack>
  )
}

interface ImagesProps {
  readonly images: readonly AskedImage[]
  readonly remove?: (image: AskedImage) => void
}

/** Attached images, small. */
export function Images({ images, remove }: ImagesProps) {
  const text = useText(texts)
  if (images.length === 0) return null
  return (
    <Group gap="xs">
      {images.map((image, at) => (
        <Group key={image.data} gap={2} align="flex-start" wrap="nowrap">
          <img
            src={dataUrl(image)}
            alt={text.imageOf(at + 1)}
            style={{ maxHeight: 72, maxWidth: 120, borderRadius: 4 }}
          />
          {remove && (
            <CloseButton
              size="xs"
              aria-label={text.removeImage(at + 1)}
              onClick={() => remove(image)}
            />
          )}
        </Group>
      ))}
    </Group>
  )
}

async function readImage(file: File): Promise<AskedImage> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return { type: file.type, data: btoa(binary) }
}

interface QuestionTextProps extends Pick<ImagesProps, 'images'> {
  readonly user: string
  readonly onEdit: () => void
}

/** What was asked, with a button to change it and ask anew. */
export function AskedText({ user, images, onEdit }: QuestionTextProps) {
  const text = useText(texts)
  return (
    <Group justify="space-between" align="flex-start" wrap="nowrap">
      <Stack gap="xs" miw={0}>
        <Text className="cut" style={{ whiteSpace: 'pre-wrap' }}>
          {user}
        </Text>
        <Images images={images} />
      </Stack>
      <Button size="compact-xs" variant="default" flex="none" onClick={onEdit}>
        {text.edit}
      </Button>
    </Group>
  )
}
