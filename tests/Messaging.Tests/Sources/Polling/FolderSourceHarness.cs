using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Sources;

namespace Messaging.Tests.Sources.Polling;

internal sealed class FolderSourceHarness : SourceHarness
{
    private readonly TemporaryFolder _folder = new();
    private readonly ServiceProvider _services = new ServiceCollection().BuildServiceProvider();
    private readonly MemoryDeadLetters _deadLetters = new();
    private FolderSource _source;

    public FolderSourceHarness()
        : base(slots: 8) => _source = Open();

    public override IMessageSource Source => _source;

    public override TimeSpan AbandonDelay => TimeSpan.FromMilliseconds(500);

    public override async Task PublishAsync(byte[] body, string? id = null)
    {
        string name = Uri.EscapeDataString(id ?? Guid.NewGuid().ToString());
        string unfinished = Path.Combine(Directory.CreateDirectory(Path.Combine(_folder.Path, "unfinished")).FullName, name);
        await File.WriteAllBytesAsync(unfinished, body);
        File.Move(unfinished, Path.Combine(_folder.Path, "in", name));
    }

    public override async Task ReopenAsync()
    {
        await CrashAsync();
        _source = Open();
    }

    public override async Task<IReadOnlyList<DeadLetteredMessage>> DeadLettersAsync(int expected)
    {
        await UntilAsync(() => _deadLetters.Messages.Count >= expected, "The dead letters did not arrive.");
        return _deadLetters.Messages;
    }

    public override Task WaitUntilEmptyAsync() =>
        UntilAsync(() => !Directory.EnumerateFiles(Path.Combine(_folder.Path, "in"), "*", SearchOption.AllDirectories).Any(), "Files were left.");

    public override async ValueTask DisposeAsync()
    {
        await base.DisposeAsync();
        await _services.DisposeAsync();
        _folder.Dispose();
    }

    private FolderSource Open() => new(
        new FolderOptions { Path = Directory.CreateDirectory(Path.Combine(_folder.Path, "in")).FullName, PollInterval = TimeSpan.FromMilliseconds(1) },
        new SourceServices { Route = "files", Services = _services, DeadLetters = _deadLetters, Concurrency = 8 });
}
