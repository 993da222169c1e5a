using System.Text.Json;
using Quayside.Messaging.Storage;

namespace Quayside.Messaging.Hosting;

/// <summary>
/// The routes that stay paused after a restart: a file for each in <c>Hosting:StatePath</c>. The file's existence is the pause, so a damaged one still
/// pauses its route; its JSON only says who, when and why. Threads: one at a time.
/// </summary>
internal sealed class PausedRoutes(string path)
{
    private const string Folder = "paused";
    private const string Key = "Hosting:StatePath";

    private DurableFolder? _folder;

    /// <exception cref="IOException">The file cannot be written durably; says what to do.</exception>
    public void Keep(string route, RoutePause pause)
    {
        try
        {
            DurableFolder folder = Prepare();
            folder.Delete(NameOf(route));
            folder.Place(NameOf(route), Write(route, pause));
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw new IOException($"The pause cannot be kept over a restart, because {Key} '{path}' cannot be written ({exception.Message.TrimEnd('.')}). Make it writable, choose another folder, or pause without keeping.", exception);
        }
    }

    /// <exception cref="IOException">The file cannot be deleted; says what to do.</exception>
    public void Forget(string route)
    {
        try
        {
            Prepare().Delete(NameOf(route));
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw new IOException($"The route receives again, but would be paused after a restart: delete '{FileOf(route)}' ({exception.Message.TrimEnd('.')}).", exception);
        }
    }

    /// <summary>The pause that an earlier process kept; null without one. Never throws: without access to the folder, nothing was kept there.</summary>
    public RoutePause? Find(string route)
    {
        FileInfo file = new(FileOf(route));
        if (!file.Exists)
        {
            return null;
        }

        try
        {
            using JsonDocument json = JsonDocument.Parse(File.ReadAllBytes(file.FullName));
            JsonElement root = json.RootElement;
            return new RoutePause(root.GetProperty("since").GetDateTimeOffset(), root.GetProperty("by").GetString() ?? string.Empty, root.GetProperty("note").GetString(), IsKept: true);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or JsonException or InvalidOperationException or KeyNotFoundException or FormatException)
        {
            return new RoutePause(new DateTimeOffset(file.LastWriteTimeUtc), $"the file {file.FullName}", $"unreadable: {exception.Message.TrimEnd('.')}", IsKept: true);
        }
    }

    private static string NameOf(string route) => $"{Folder}/{Uri.EscapeDataString(route.ToLowerInvariant())}.json";

    private string FileOf(string route) => Path.GetFullPath(Path.Combine(path, NameOf(route)));

    private DurableFolder Prepare()
    {
        DurableFolder folder = _folder ??= new DurableFolder(path, fsync: true);
        folder.Prepare();
        return folder;
    }

    private static byte[] Write(string route, RoutePause pause)
    {
        using MemoryStream bytes = new();
        using (Utf8JsonWriter json = new(bytes))
        {
            json.WriteStartObject();
            json.WriteString("route"u8, route);
            json.WriteString("since"u8, pause.Since);
            json.WriteString("by"u8, pause.By);
            json.WriteString("note"u8, pause.Note);
            json.WriteEndObject();
        }

        return bytes.ToArray();
    }
}
