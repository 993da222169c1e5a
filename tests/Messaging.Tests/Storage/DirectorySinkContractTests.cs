using Quayside.Messaging.Sinks;
using Quayside.Messaging.Storage;
using Quayside.Messaging.Testing.Xunit;

namespace Messaging.Tests.Storage;

public sealed class DirectorySinkContractTests : ObjectSinkContractTests
{
    private readonly TemporaryFolder _folder = new();

    protected override Func<ValueTask<IAsyncDisposable>>? BreakStore => () =>
    {
        System.IO.Directory.Move(_folder[".tmp"], _folder["unmounted"]);
        return new(new Mount(_folder));
    };

    public override async ValueTask DisposeAsync()
    {
        // No test may leave an unfinished file.
        System.IO.Directory.EnumerateFiles(_folder[".tmp"]).ShouldBeEmpty();
        await base.DisposeAsync();
        _folder.Dispose();
    }

    protected override ValueTask<IObjectSink> CreateAsync() =>
        new(new DirectorySink(new DirectorySinkOptions { Path = _folder.Path }, new SinkServices { Services = null! }));

    protected override async ValueTask<byte[]?> ReadBackAsync(string key)
    {
        string path = Subject.Locate(key);
        return File.Exists(path) ? await File.ReadAllBytesAsync(path, Token) : null;
    }

    private sealed class Mount(TemporaryFolder folder) : IAsyncDisposable
    {
        public ValueTask DisposeAsync()
        {
            System.IO.Directory.Move(folder["unmounted"], folder[".tmp"]);
            return default;
        }
    }
}
