using System.Collections.Immutable;
using System.Text;
using System.Text.RegularExpressions;
using Quayside.Messaging.Archive.Headers;
using Quayside.Messaging.Archive.ObjectKeys;
using Quayside.Pipeline.Buffers;
using Messaging.Tests.Archive.ObjectKeys;

namespace Proof.Fuzz.Targets;

/// <summary>Templates of object keys: errors with a position, or keys that stay within their bounds.</summary>
internal sealed partial class KeyTemplateTarget : FuzzTarget
{
    private static readonly byte[] Body = "{\"Product\":\"My Shop\",\"a\":{\"b\":\"../x\",\"n\":-12.5,\"t\":1792000000},\"list\":[1,{\"s\":\"unknown\"}],\"bad\":\"a/?\",\"dots\":\".x.\",\"long\":\"0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789\",\"marks\":\"??????????????????????????????????????????????????\",\"EventDateUtc\":\"2026-11-01T10:20:30Z\",\"MessageId\":\"M/1.\",\"Empty\":\"\"}"u8.ToArray();

    private static readonly Dictionary<string, string?> Properties =
        new() { ["Product"] = "My Shop", ["EventDateUtc"] = "2026-11-01T10:20:30Z", ["MessageId"] = "M/1.", ["Empty"] = "" };

    private readonly BufferPool _buffers = new();

    public override IReadOnlyList<byte[]> Corpus { get; } =
    [
        .. Texts.Utf8(
            "{bad}/{dots:encode}/{list[1].s:keep}/{none}/{MessageId}\narchive/prod/\na.n:number", "{none:yyyy}/{\"a\\\"b\"}/{MessageId}\n\nlist[0]:number",
            ArchiveOptions.DefaultTemplate, "{Product}/{EventDateUtc:yyyy/MM/dd}/{MessageId}.json", "{MessageId}", "logs/{a.b:encode}/{MessageId}",
            "{a.n:number}-{Product:keep}/{MessageId}.txt",
            "{a.t:epoch:yyyy-MM-dd_HH.mm.ss}/{MessageId}", "{\"a\".\"b\":lower}/{MessageId}", "x={Product:lower}/y={a.b}/{MessageId}"),
    ];

    public override IReadOnlyList<byte[]> Dictionary { get; } =
    [
        .. Texts.Utf8(
            "\n", "{bad}/", "{dots:lower}/", "{list[1].s:encode}/", "{list[0]:number}/", "{long:encode}/", "{marks:encode}/", "{long:keep}/", "{a.n}/",
            "{a.t:epoch:HH}/", "{a.t:epochms:HH}/", "{" + string.Join('.', Enumerable.Repeat("a", 65)) + "}/", "{none}/", "{a:encode}/", "[0]", "\\\"", "{",
            "}", "/", "//", ".", "..", ":", "\"", "\\", "{Product}", "{MessageId}", "{EventDateUtc:yyyy/MM/dd/HH}", "{Empty}", "{a.b}", "{a.n:number}", ":keep",
            ":lower", ":encode", ":number",
            ":epoch:yyyy", ":epochms:HH", "yyyy", "MM", "dd", "HH", "mm", "ss", "=", "-", "_", " ", "é", "\u0000", ".tmp", new string('a', 200),
            "{a.a.a.a.a.a.a.a.a}"),
    ];

    public override int Run(ReadOnlyMemory<byte> input)
    {
        // A template, and maybe a prefix and the id's path, a line each.
        string[] lines = Encoding.UTF8.GetString(input.Span).Split('\n');
        uint hash = Hash(input.Span);
        ArchiveOptions options = new()
        {
            Template = lines[0],
            KeyPrefix = lines.ElementAtOrDefault(1) ?? string.Empty,
            MessageIdProperty = lines.ElementAtOrDefault(2) ?? ArchiveOptions.DefaultMessageIdProperty,
            MissingProperty = hash % 3 == 0 ? MissingPropertyRule.DeadLetter : MissingPropertyRule.Default,
            InvalidValue = (InvalidValueRule)(hash / 3 % 3),
        };
        if (!KeyTemplate.TryCompile(options, out KeyTemplate? template, out ImmutableArray<KeyTemplateError> errors))
        {
            FuzzException.ThrowUnless(errors.Length > 0, "No template and no error");
            KeyTemplateError? outside = errors.FirstOrDefault(error => error.Position < 1 || error.Position > LengthOf(options, error.Setting) + 1);
            FuzzException.ThrowUnless(outside is null, $"An error beyond its text: {outside}");
            return HashCode.Combine(Scale(errors.Length), errors[0].Problem.Length, errors[^1].Problem.Length);
        }

        ArchiveHeader header = new(_buffers);
        using PooledBuffer key = _buffers.Rent(template.LongestKeyBytes);
        bool isRead = template.CreateReader(BodyValidation.Full).TryRead(Body, header, out Poison poison);
        bool isWritten = isRead && template.TryWrite(header, hash / 9 % 4 == 0 ? [] : "source-1"u8, key, out poison);
        header.Reset();
        if (isWritten)
        {
            Check(Encoding.Latin1.GetString(key.WrittenSpan), template);
        }

        if (lines.Length <= 2
            && Simple().IsMatch(options.Template)
            && Fixed().IsMatch(options.KeyPrefix)
            && options.MissingProperty == MissingPropertyRule.Default
            && options.InvalidValue == InvalidValueRule.Default)
        {
            FuzzException.ThrowIfDifferent(
                isWritten ? Encoding.Latin1.GetString(key.WrittenSpan) : null, ReferenceKey.Of(options, Properties, "source-1"u8.ToArray()), "key");
        }

        return HashCode.Combine(isRead, isWritten, poison.Reason, template.Segments.Length, template.Properties.Length);
    }

    private static int LengthOf(ArchiveOptions options, string setting) => setting switch
    {
        nameof(ArchiveOptions.Template) => options.Template.Length,
        nameof(ArchiveOptions.KeyPrefix) => options.KeyPrefix.Length,
        _ => options.MessageIdProperty.Length,
    };

    private static void Check(string key, KeyTemplate template)
    {
        FuzzException.ThrowUnless(
            key.Length <= template.LongestKeyBytes && template.LongestKeyBytes <= KeyTemplate.MaxKeyBytes,
            $"A key of {key.Length} bytes, at most {template.LongestKeyBytes} announced: {key}");
        FuzzException.ThrowUnless(key.All(character => character is > ' ' and <= '~'), $"A key that is not ASCII: {key}");
        FuzzException.ThrowUnless(!key.Split('/').Any(level => level is "" or "." or ".."), $"A key with an empty level or dots: {key}");
    }

    // What the plain twin supports: fixed text, properties without a rule, and dates.
    [GeneratedRegex(@"\A([a-z0-9_\-.=/]|\{(Product|MessageId|Empty|EventDateUtc:[yMdHms/\-_.]+)\})+\z")]
    private static partial Regex Simple();

    [GeneratedRegex(@"\A[a-z0-9_\-.=/]*\z")]
    private static partial Regex Fixed();
}
