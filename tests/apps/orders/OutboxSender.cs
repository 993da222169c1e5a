using System.Text;
using Quayside.Messaging.Publishing;

namespace OrdersApp;

/// <summary>Appends a line per message to a file.</summary>
internal sealed class OutboxSender(string path) : IMessageSender
{
    public string Target => path;

    public string Accepted => "appended to";

    public int Concurrency => 1;

    public int BatchSize => 10;

    public async Task<string?[]> SendAsync(IReadOnlyList<OutgoingMessage> messages, CancellationToken cancellationToken)
    {
        await File.AppendAllLinesAsync(path, messages.Select(message => Encoding.UTF8.GetString(message.Body.Span)), cancellationToken);
        return new string?[messages.Count];
    }

    public void Dispose()
    {
    }
}
