import { Title } from '@mantine/core'

/** To come. */
export const Page = () => <Title order={1}>playground</Title>
