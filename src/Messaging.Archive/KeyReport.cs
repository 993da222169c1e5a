using System.Text;
using Quayside.Messaging.Archive.Headers;
using Quayside.Messaging.Archive.ObjectKeys;
using Quayside.Messaging.Planning;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Buffers;

namespace Quayside.Messaging.Archive;

/// <summary>What <c>explain-key</c> shows: the key of a message and the origin of each of its parts.</summary>
internal static class KeyReport
{
    /// <summary>Writes the keys of a message, which may be several where the route has an envelope, under one route's settings.</summary>
    /// <returns>False when the message or one of them would be dead-lettered.</returns>
    public static bool ExplainAll(RoutePlan route, ArchiveOptions options, SampleMessage message, TextWriter output)
    {
        if (route.Envelopes.Count == 0)
        {
            return Explain(route, options, message, output);
        }

        string envelopes = string.Join(", ", route.Envelopes.Select(envelope => envelope.Name));
        bool hasAll = true;
        foreach (ExplainedMessage inner in EnvelopeExplainer.Unwrap(route, message))
        {
            string id = inner.Message.GetSourceIdString();
            if (inner.Refusal is { } refusal)
            {
                output.WriteLine($"Route {route.Name}, envelope {envelopes}, message {id}:");
                output.WriteLine($"  dead letter {refusal.Reason}");
                output.WriteLine($"  {refusal.Description}");
                hasAll = false;
            }
            else
            {
                output.WriteLine($"Route {route.Name}, envelope {envelopes}, message {id} of {inner.Message.Body.Length} bytes:");
                hasAll &= Explain(route, options, inner.Message, output);
            }
        }

        return hasAll;
    }

    /// <summary>Writes the key of a message under one route's settings.</summary>
    /// <returns>False when the message would be dead-lettered.</returns>
    public static bool Explain(RoutePlan route, ArchiveOptions options, SampleMessage message, TextWriter output)
    {
        if (!KeyTemplate.TryCompile(options, out KeyTemplate? template, out _))
        {
            throw new ArgumentException("The template has faults.", nameof(options));
        }

        ReadOnlyMemory<byte> body = message.Body;
        ReadOnlyMemory<byte> source = options.MissingId == MissingIdRule.UseSourceId ? message.SourceId : default;
        ArchiveHeader header = new();
        using PooledBuffer written = BufferPool.Shared.Rent(template.LongestKeyBytes);
        output.WriteLine($"Route {route.Name}: {options.Template}");
        if (body.Length > route.MaxMessageBytes)
        {
            output.WriteLine($"  dead letter too-large: the body has {body.Length} bytes; Stages:MaxMessageBytes allows {route.MaxMessageBytes}");
            return false;
        }

        ArchiveHeaderReader reader = template.CreateReader(options.BodyValidation);
        if (!reader.TryRead(body, header, out Poison poison)
            || !reader.TryReadSource(message, header, out poison)
            || !template.TryWrite(header, source.Span, written, out poison))
        {
            output.WriteLine($"  dead letter {poison}");
            output.WriteLine($"  {PoisonDescription.Of(poison, header, template.Properties)}");
            header.Reset();
            return false;
        }

        output.WriteLine($"  key {Encoding.ASCII.GetString(written.WrittenSpan)}");
        KeyPartExplanation[] parts = [.. KeyExplainer.Explain(template, options, header, source)];
        int name = parts.Max(part => part.Placeholder.Length);
        int value = Math.Min(48, parts.Max(part => part.Value.Length));
        int text = Math.Min(48, parts.Max(part => part.Part.Length));
        foreach (KeyPartExplanation part in parts)
        {
            output.WriteLine($"  {part.Placeholder.PadRight(name)}  {part.Value.PadRight(value)} -> {part.Part.PadRight(text)}  {part.Because}");
        }

        if (template.ObjectProperties?.Read(header, source.Span) is { } properties)
        {
            Write("metadata", properties.Metadata, output);
            Write("tag", properties.Tags, output);
        }

        if (message.GetSourceIdString().StartsWith(SampleMessage.UnknownId, StringComparison.Ordinal)
            && parts.Any(part => part.Because.StartsWith(KeyExplainer.OfSource, StringComparison.Ordinal)))
        {
            output.WriteLine("  The id comes from the source; give one with --source-id.");
        }

        if (route.IsBundled)
        {
            output.WriteLine("  The message is a line of a bundle, which has a name of its own in this folder (Bundles:Enabled).");
        }

        header.Reset();
        return true;
    }

    private static void Write(string kind, IReadOnlyList<KeyValuePair<string, string>> properties, TextWriter output)
    {
        foreach ((string name, string value) in properties)
        {
            output.WriteLine($"  {kind} {UntrustedText.Shorten(name)} = \"{UntrustedText.Shorten(value)}\"");
        }
    }
}
