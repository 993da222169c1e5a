using Benchmarks.Keys;
using Quayside.Messaging.Archive.Headers;
using Quayside.Messaging.Archive.ObjectKeys;

namespace Benchmarks.Bytes;

/// <summary>Message bytes to key bytes under one rule and template.</summary>
internal sealed record KeyByteCase(string Variant, BodyValidation Validation, string Template, string Key) : ByteCase
{
    private readonly byte[] _body = KeyInput.Bytes();

    public override string Name => $"MessageToKey/{Variant}/{_body.Length}/1";

    public static new IEnumerable<KeyByteCase> All() =>
    [
        .. Enum
            .GetValues<BodyValidation>()
            .Select(validation => new KeyByteCase(validation.ToString(), validation, ArchiveOptions.DefaultTemplate, KeyInput.ExpectedKey)),
        new("FullDepthTwo", BodyValidation.Full, KeyInput.DepthTwoTemplate, KeyInput.DepthTwoKey),
        new("FullDepthFour", BodyValidation.Full, KeyInput.DepthFourTemplate, KeyInput.DepthFourKey),
    ];

    public override Action Prepare()
    {
        WorkerKey key = new(Validation, Template);
        KeyInput.Require(Name, key.Text(_body), Key);
        return () => key.Length(_body);
    }
}
