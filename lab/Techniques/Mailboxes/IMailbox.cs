using System.Diagnostics.CodeAnalysis;

namespace Lab.Techniques.Mailboxes;

/// <summary>First in, first out; any thread posts, any thread takes.</summary>
internal interface IMailbox
{
    void Post(object message);

    bool TryTake([NotNullWhen(true)] out object? message);
}
