using Benchmarks.Keys;
using Worker.Handlers.Archive;

namespace Benchmarks.Bytes;

/// <summary>Message bytes to key bytes under one rule.</summary>
internal sealed record KeyByteCase(BodyValidation Validation) : ByteCase
{
    private readonly byte[] _body = KeyInput.Bytes();

    public override string Name => $"MessageToKey/{Validation}/{_body.Length}/1";

    public static new IEnumerable<KeyByteCase> All() => Enum.GetValues<BodyValidation>().Select(validation => new KeyByteCase(validation));

    public override Action Prepare()
    {
        WorkerKey key = new(Validation);
        KeyInput.Require(Name, key.Text(_body));
        return () => key.Length(_body);
    }
}
