import { Button, Stack } from '@mantine/core'
import { useText } from '../../lib/language.tsx'
import { PageFrame } from '../../parts/page.tsx'
import { Backups } from './backups.tsx'
import { Section } from './section.tsx'
import { maintenanceText } from './text.ts'
import { Verify } from './verify.tsx'

/** What keeps a gateway in order. */
export function Page() {
  const text = useText(maintenanceText)
  return (
    <PageFrame title={text.title} description={text.description}>
      <Stack>
        <Verify />
        <Backups />
        <Section title={text.config} hint={text.configHint}>
          <Button
            component="a"
            href="/api/v1/admin/config.yaml"
            download
            variant="default"
            w="fit-content"
          >
            {text.configDownload}
          </Button>
        </Section>
      </Stack>
    </PageFrame>
  )
}
