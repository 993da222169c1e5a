using System.Buffers;
using System.Collections.Frozen;
using Quayside.Messaging.Http.Source;

namespace Quayside.Messaging.Http;

/// <summary>Which headers may be kept as attributes of messages, and which attributes can be sent as headers.</summary>
internal static class HeaderRules
{
    // What callers prove who they are with is written into no key, dead letter or queue.
    private static readonly FrozenSet<string> Secret =
        FrozenSet.Create(StringComparer.OrdinalIgnoreCase, "Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie");

    // They belong to the connection, or the sender sets them itself.
    private static readonly FrozenSet<string> Reserved = FrozenSet.Create(
        StringComparer.OrdinalIgnoreCase,
        "Connection", "Date", "Expect", "Host", "Keep-Alive", "Origin", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "Via", "traceparent", "tracestate",
        MessageIds.Header);

    private static readonly SearchValues<char> NameCharacters =
        SearchValues.Create("!#$%&'+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");

    /// <summary>Says what is wrong with a pattern; null when it can be used.</summary>
    public static string? FindProblem(string pattern)
    {
        string name = pattern.EndsWith('*') ? pattern[..^1] : pattern;
        return name.AsSpan().ContainsAnyExcept(NameCharacters) || pattern.Length == 0
            ? $"'{pattern}' must be the name of a header, such as x-tenant, or the start of names and a *, such as ce-*."
                : Secret.FirstOrDefault(
                    secret => pattern.EndsWith('*')
                        ? secret.StartsWith(name, StringComparison.OrdinalIgnoreCase)
                        : secret.Equals(name, StringComparison.OrdinalIgnoreCase)) is { } found
                    ? $"'{pattern}' must not take {found}: name the headers that are needed."
                : null;
    }

    /// <summary>True for a name and a value that a sender can send as a header of its own.</summary>
    public static bool CanSend(string name, string value) =>
        name.Length > 0 && !name.AsSpan().ContainsAnyExcept(NameCharacters) && FindProblem(name) is null
        && !name.StartsWith("Content-", StringComparison.OrdinalIgnoreCase) && !Reserved.Contains(name)
        && value.Length > 0 && !value.AsSpan().ContainsAnyExceptInRange(' ', '~') && value[0] != ' ' && value[^1] != ' ';
}
