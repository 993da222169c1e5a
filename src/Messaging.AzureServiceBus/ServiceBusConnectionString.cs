using System.Globalization;

namespace Quayside.Messaging.AzureServiceBus;

/// <summary>
/// The parts of a connection string that the worker checks before the library does, so that a mistake is reported in one clear line.
/// Never shows any text of the string.
/// </summary>
/// <param name="Host">The namespace's host.</param>
/// <param name="EntityPath">The entity the string is for; null when it is for the whole namespace.</param>
/// <param name="IsEmulator">True for the emulator, which is reached without TLS.</param>
internal sealed record ServiceBusConnectionString(string Host, string? EntityPath, bool IsEmulator)
{
    /// <summary>Parses a connection string; null with a <paramref name="problem"/>, which contains no text of the string.</summary>
    public static ServiceBusConnectionString? Parse(string text, out string? problem)
    {
        Dictionary<string, string> parts = new(StringComparer.OrdinalIgnoreCase);
        foreach (string part in text.Split(';', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries))
        {
            // A Base64 key ends with equals signs, so only the first one separates.
            int equals = part.IndexOf('=', StringComparison.Ordinal);
            if (equals <= 0 || !parts.TryAdd(part[..equals].Trim(), part[(equals + 1)..].Trim()))
            {
                problem = "must consist of parts Name=value, each name once, separated by semicolons.";
                return null;
            }
        }

        problem = FindProblem(parts, out Uri? endpoint);
        if (problem is not null)
        {
            return null;
        }

        bool isEmulator =
            parts.TryGetValue("UseDevelopmentEmulator", out string? emulator) && string.Equals(emulator, "true", StringComparison.OrdinalIgnoreCase);
        return new ServiceBusConnectionString(endpoint!.Host, parts.GetValueOrDefault("EntityPath"), isEmulator);
    }

    private static string? FindProblem(Dictionary<string, string> parts, out Uri? endpoint)
    {
        endpoint = null;
        string address = parts.GetValueOrDefault("Endpoint", string.Empty);
        if (!address.Contains("://", StringComparison.Ordinal))
        {
            address = $"sb://{address}";
        }

        if (!Uri.TryCreate(address, UriKind.Absolute, out endpoint) || endpoint.Host.Length == 0 || endpoint.Scheme is not ("sb" or "amqps"))
        {
            return "must name the namespace: Endpoint=sb://NAMESPACE.servicebus.windows.net/.";
        }

        if (parts.TryGetValue("SharedAccessSignature", out string? signature))
        {
            return IsSignature(signature)
                ? null
                : "must contain a SharedAccessSignature of the form SharedAccessSignature sr=...&sig=...&se=...&skn=..., with se in seconds since 1970.";
        }

        return IsPresent(parts, "SharedAccessKeyName") && IsPresent(parts, "SharedAccessKey")
            ? null
            : "must contain SharedAccessKeyName and SharedAccessKey, or SharedAccessSignature; for an identity without a key, "
                + "set FullyQualifiedNamespace instead.";
    }

    private static bool IsPresent(Dictionary<string, string> parts, string name) => !string.IsNullOrEmpty(parts.GetValueOrDefault(name));

    private static bool IsSignature(string signature)
    {
        const string Scheme = "SharedAccessSignature ";
        if (!signature.StartsWith(Scheme, StringComparison.OrdinalIgnoreCase))
        {
            return false;
        }

        ILookup<string, string> fields = signature[Scheme.Length..].Split('&')
            .Select(field => field.Split('=', 2, StringSplitOptions.TrimEntries))
            .Where(field => field.Length == 2 && field[1].Length > 0)
            .ToLookup(field => field[0], field => field[1], StringComparer.OrdinalIgnoreCase);
        return fields["sr"].Any()
            && fields["sig"].Any()
            && fields["skn"].Any()
            && fields["se"].Any(expiry => long.TryParse(expiry, NumberStyles.None, CultureInfo.InvariantCulture, out _));
    }
}
