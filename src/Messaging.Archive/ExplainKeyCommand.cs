using System.CommandLine;
using System.Text;
using Microsoft.Extensions.Configuration;
using Quayside.Messaging.Archive.Headers;
using Quayside.Messaging.Archive.ObjectKeys;
using Quayside.Messaging.CommandLine;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Planning;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Buffers;

namespace Quayside.Messaging.Archive;

/// <summary><c>explain-key</c>: shows the key of a message and the origin of each of its parts.</summary>
internal static class ExplainKeyCommand
{
    // Without --source-id.
    private const string NoSourceId = "source-id";

    public static Command Create(CommandContext context)
    {
        Option<string> file = new("--file", "-f") { Description = "The message, as its sender sends it; - for standard input", HelpName = "file", DefaultValueFactory = static _ => MessageFile.StandardInput };
        Option<string?> route = new("--route") { Description = "Only this route; default: every route that archives", HelpName = "name" };
        Option<string?> sourceId = new("--source-id") { Description = "The message's source id, for MissingId=UseSourceId", HelpName = "id" };
        Option<KeyValuePair<string, string>[]> attribute = AttributeOption.Create("An attribute of the message, for keys with {@attribute.name}; may be given several times");
        Option<string?> group = new("--group") { Description = "The message's group or session, for keys with {@group}", HelpName = "id" };
        Command command = new("explain-key", "Show the object key of a message and the origin of each part; starts and stores nothing; exit code 1 when the message would be dead-lettered")
        {
            file,
            route,
            sourceId,
            attribute,
            group,
        };
        command.SetAction(parsed => Run(
            context,
            context.ReadConfiguration(parsed),
            new SampleMessage(MessageFile.Read(parsed.GetValue(file)!), parsed.GetValue(sourceId) ?? NoSourceId, parsed.GetValue(attribute), parsed.GetValue(group), TimeProvider.System.GetUtcNow()),
            parsed.GetValue(route),
            parsed.InvocationConfiguration.Output));
        return command;
    }

    private static int Run(CommandContext context, IConfiguration configuration, SampleMessage message, string? onlyRoute, TextWriter output)
    {
        WorkerPlan plan = context.Plan(configuration);
        SettingsReader settings = new(configuration);
        RoutePlan[] routes = [.. plan.Routes.Where(route => route.Handler.Name == ArchiveHandlerFeature.HandlerName)];
        RoutePlan[] chosen = onlyRoute is null ? routes : [.. routes.Where(route => string.Equals(route.Name, onlyRoute, StringComparison.OrdinalIgnoreCase))];
        if (chosen.Length == 0)
        {
            throw new StartupException(onlyRoute is null ? "No route archives messages, and only such routes have keys." : $"--route {onlyRoute}: must be a route that archives messages: {string.Join(", ", routes.Select(route => route.Name))}.{(NearestName.Find(onlyRoute, routes.Select(route => route.Name)) is { } nearest ? $" Did you mean {nearest}?" : string.Empty)}", ExitCodes.Usage);
        }

        bool hasAll = true;
        foreach (RoutePlan route in chosen)
        {
            hasAll &= ExplainAll(route, ArchiveHandlerFeature.ReadOptions(settings, route.Name), message, output);
        }

        return hasAll ? ExitCodes.Success : ExitCodes.Incomplete;
    }

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
        KeyTemplateOptions key = options.Key;
        if (!KeyTemplate.TryCompile(key, out KeyTemplate? template, out _))
        {
            throw new ArgumentException("The template has faults.", nameof(options));
        }

        ReadOnlyMemory<byte> body = message.Body;
        ReadOnlyMemory<byte> source = options.MissingId == MissingIdRule.UseSourceId ? message.SourceId : default;
        ArchiveHeader header = new();
        using PooledBuffer written = BufferPool.Shared.Rent(template.LongestKeyBytes);
        output.WriteLine($"Route {route.Name}: {key.Template}");
        if (body.Length > route.MaxMessageBytes)
        {
            output.WriteLine($"  dead letter too-large: the body has {body.Length} bytes; Stages:MaxMessageBytes allows {route.MaxMessageBytes}");
            return false;
        }

        ArchiveHeaderReader reader = template.CreateReader(options.BodyValidation);
        if (!reader.TryRead(body, header, out Poison poison) || !reader.TryReadSource(message, header, out poison) || !template.TryWrite(header, source.Span, written, out poison))
        {
            output.WriteLine($"  dead letter {poison}");
            output.WriteLine($"  {PoisonDescription.Of(poison, header, template.Properties)}");
            header.Reset();
            return false;
        }

        output.WriteLine($"  key {Encoding.ASCII.GetString(written.WrittenSpan)}");
        KeyPartExplanation[] parts = [.. KeyExplainer.Explain(template, key, header, source)];
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

        if (message.GetSourceIdString().StartsWith(NoSourceId, StringComparison.Ordinal) && parts.Any(part => part.Because.StartsWith(KeyExplainer.OfSource, StringComparison.Ordinal)))
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
