import './mantine.css'
import '@mantine/notifications/styles.css'
import 'uplot/dist/uPlot.min.css'
import './console.css'
import './frame.css'
import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { createRoot } from 'react-dom/client'
import { CallFailed } from './lib/api.ts'
import { LanguageProvider, useLanguage } from './lib/language.ts'
import { ModalsHost } from './parts/modals.tsx'
import { NoticesHost } from './parts/notices.tsx'
import { createConsoleRouter } from './router.tsx'
import { themeOf, variablesOf } from './theme.ts'

/** A refusal is an answer: only what could not be asked is asked again. */
const queries = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (count, error) => count < 2 && error instanceof CallFailed && error.status === 0,
      staleTime: 5_000,
      // A gateway on this machine answers without a network, too; and what fails is told, not waited for.
      networkMode: 'always',
      refetchOnReconnect: true,
    },
  },
})

const router = createConsoleRouter()
const nonce = document.querySelector<HTMLMetaElement>('meta[name=csp-nonce]')?.content ?? ''
// What locks scrolling behind a dialog adds a style of its own, and asks for the nonce here.
Object.assign(globalThis, { __webpack_nonce__: nonce })
const themes = { en: themeOf('en'), zh: themeOf('zh') }

function Look({ children }: { readonly children: ReactNode }) {
  const { language } = useLanguage()
  useEffect(() => {
    document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en'
  }, [language])
  return (
    <MantineProvider
      theme={themes[language]}
      cssVariablesResolver={variablesOf}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      {children}
    </MantineProvider>
  )
}

const root = document.getElementById('root')

if (root) {
  createRoot(root).render(
    <LanguageProvider>
      <Look>
        <QueryClientProvider client={queries}>
          <ModalsHost />
          <NoticesHost />
          <RouterProvider router={router} />
        </QueryClientProvider>
      </Look>
    </LanguageProvider>,
  )
}
