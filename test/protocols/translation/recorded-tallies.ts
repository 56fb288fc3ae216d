import type { ProtocolName } from '../../../src/protocols/protocol.ts'

/** What became of the recorded requests of one protocol on channels of another. */
export interface Tally {
  equal: number
  /** Equal, but for what is named. */
  dropped: number
  /** How often each place was left out, in the client's own words. */
  readonly left: Record<string, number>
  /** How many were refused, by feature. */
  readonly refused: Record<string, number>
}

/** By client, then upstream: of 224, 190, 172 and 170 requests. */
export const tallies: {
  readonly [client in ProtocolName]: { readonly [upstream in ProtocolName]?: Tally }
} = {
  chat: {
    responses: {
      equal: 195,
      dropped: 26,
      left: {
        clear_thinking: 1,
        'messages[]': 1,
        'messages[].content[].cache_control': 20,
        models: 1,
        moderation: 1,
        provider: 4,
        reasoning_format: 4,
        search_settings: 1,
        'tools[]': 3,
        'tools[].cache_control': 4,
        transforms: 1,
      },
      refused: {
        hosted_tool: 3,
      },
    },
    messages: {
      equal: 194,
      dropped: 21,
      left: {
        clear_thinking: 1,
        'messages[]': 1,
        models: 1,
        moderation: 1,
        prompt_cache_key: 2,
        provider: 4,
        reasoning_format: 4,
        search_settings: 1,
        temperature: 3,
        'tools[]': 3,
        top_p: 1,
        transforms: 1,
      },
      refused: {
        audio: 6,
        hosted_tool: 3,
      },
    },
    gemini: {
      equal: 141,
      dropped: 80,
      left: {
        clear_thinking: 1,
        'messages[]': 1,
        'messages[].content[].cache_control': 20,
        models: 1,
        moderation: 1,
        prompt_cache_key: 2,
        provider: 4,
        reasoning_format: 4,
        search_settings: 1,
        service_tier: 3,
        'tools[]': 3,
        'tools[].cache_control': 4,
        'tools[].function.strict': 153,
        transforms: 1,
      },
      refused: {
        hosted_tool: 3,
      },
    },
  },
  responses: {
    chat: {
      equal: 68,
      dropped: 94,
      left: {
        context_management: 8,
        'include[]': 3,
        'input[]': 59,
        'input[].content[].prompt_cache_breakpoint': 2,
        moderation: 2,
        prompt_cache_options: 2,
        'reasoning.context': 27,
        'reasoning.summary': 11,
        'tools[]': 42,
        truncation: 1,
      },
      refused: {
        hosted_tool: 6,
        stored_state: 14,
        uploaded_file: 3,
        vendor_item: 5,
      },
    },
    messages: {
      equal: 86,
      dropped: 75,
      left: {
        context_management: 8,
        'include[]': 3,
        'input[]': 32,
        moderation: 2,
        prompt_cache_key: 2,
        prompt_cache_options: 2,
        'reasoning.context': 27,
        service_tier: 1,
        'text.verbosity': 1,
        'tools[]': 42,
        truncation: 1,
      },
      refused: {
        hosted_tool: 6,
        logprobs: 1,
        stored_state: 14,
        uploaded_file: 3,
        vendor_item: 5,
      },
    },
    gemini: {
      equal: 66,
      dropped: 96,
      left: {
        context_management: 8,
        'include[]': 3,
        'input[]': 32,
        'input[].content[].prompt_cache_breakpoint': 2,
        'input[].tools[].strict': 17,
        moderation: 2,
        prompt_cache_key: 2,
        prompt_cache_options: 2,
        'reasoning.context': 27,
        service_tier: 1,
        'text.verbosity': 1,
        'tools[]': 42,
        'tools[].strict': 66,
        truncation: 1,
      },
      refused: {
        hosted_tool: 6,
        stored_state: 14,
        uploaded_file: 3,
        vendor_item: 5,
      },
    },
  },
  messages: {
    chat: {
      equal: 92,
      dropped: 63,
      left: {
        mcp_servers: 4,
        'messages[].content[]': 28,
        'messages[].content[].cache_control': 9,
        'output_config.task_budget': 2,
        'thinking.display': 1,
        'tools[]': 45,
      },
      refused: {
        hosted_tool: 6,
        uploaded_file: 2,
        vendor_item: 7,
        vendor_tool: 2,
      },
    },
    responses: {
      equal: 99,
      dropped: 56,
      left: {
        mcp_servers: 4,
        'messages[].content[]': 19,
        'messages[].content[].cache_control': 9,
        'output_config.task_budget': 2,
        'tools[]': 45,
      },
      refused: {
        hosted_tool: 6,
        uploaded_file: 2,
        vendor_item: 7,
        vendor_tool: 2,
      },
    },
    gemini: {
      equal: 91,
      dropped: 64,
      left: {
        mcp_servers: 4,
        'messages[].content[]': 18,
        'messages[].content[].cache_control': 9,
        'output_config.task_budget': 2,
        'tools[]': 45,
        'tools[].strict': 9,
      },
      refused: {
        hosted_tool: 6,
        uploaded_file: 2,
        vendor_item: 7,
        vendor_tool: 2,
      },
    },
  },
  gemini: {
    chat: {
      equal: 69,
      dropped: 82,
      left: {
        'contents[].parts[]': 144,
        'generationConfig.thinkingConfig.includeThoughts': 3,
        'generationConfig.topK': 1,
        labels: 1,
        modelArmorConfig: 1,
        'toolConfig.includeServerSideToolInvocations': 6,
        'tools[].codeExecution': 3,
        'tools[].fileSearch': 2,
        'tools[].googleSearch': 9,
        'tools[].urlContext': 2,
      },
      refused: {
        uploaded_file: 14,
        video: 5,
      },
    },
    responses: {
      equal: 101,
      dropped: 50,
      left: {
        'contents[].parts[]': 48,
        'generationConfig.topK': 1,
        modelArmorConfig: 1,
        'toolConfig.includeServerSideToolInvocations': 6,
        'tools[].codeExecution': 3,
        'tools[].fileSearch': 2,
        'tools[].googleSearch': 9,
        'tools[].urlContext': 2,
      },
      refused: {
        uploaded_file: 14,
        video: 5,
      },
    },
    messages: {
      equal: 118,
      dropped: 19,
      left: {
        'contents[].parts[]': 11,
        labels: 1,
        modelArmorConfig: 1,
        'toolConfig.includeServerSideToolInvocations': 6,
        'tools[].codeExecution': 3,
        'tools[].fileSearch': 2,
        'tools[].googleSearch': 9,
        'tools[].urlContext': 2,
      },
      refused: {
        audio: 11,
        audio_url: 1,
        logprobs: 2,
        uploaded_file: 14,
        video: 5,
      },
    },
  },
}
