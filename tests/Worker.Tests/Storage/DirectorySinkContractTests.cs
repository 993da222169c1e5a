using Microsoft.Extensions.Logging.Abstractions;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Storage;
using Quayside.Messaging.Testing.Xunit;

namespace Worker.Tests.Storage;

public sealed class DirectorySinkContractTests : ObjectSinkContractTests
{
    private readonly TemporaryFolder _folder = new();

    public override async ValueTask DisposeAsync()
    {
        // No test may leave an unfinished file.
        System.IO.Directory.EnumerateFiles(_folder[".tmp"]).ShouldBeEmpty();
        await base.DisposeAsync();
        _folder.Dispose();
    }

    protected override ValueTask<IObjectSink> OpenAsync() =>
        new(new DirectorySink(new DirectorySinkOptions { Path = _folder.Path }, new SinkServices(null!, NullLoggerFactory.Instance, TimeProvider.System)));

    protected override async ValueTask<byte[]?> ReadBackAsync(string key)
    {
        string path = Sink.Locate(key);
        return File.Exists(path) ? await File.ReadAllBytesAsync(path, Token) : null;
    }
}
