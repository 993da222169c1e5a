using System.IO.Compression;
using System.Xml.Linq;

namespace Integration.Tests.Packages;

/// <summary>The metadata of a package.</summary>
internal sealed class NuspecFile
{
    private readonly XElement _metadata;

    private NuspecFile(XElement metadata) => _metadata = metadata;

    public string Id => Text("id");

    public string Version => Text("version");

    public string Description => Text("description");

    public string Readme => Text("readme");

    /// <summary>The licence as an SPDX expression.</summary>
    public string License =>
        _metadata.Elements().Single(element => element.Name.LocalName == "license" && (string?)element.Attribute("type") == "expression").Value;

    public string Commit => (string?)Element("repository").Attribute("commit") ?? string.Empty;

    /// <summary>Ids and versions of the dependencies.</summary>
    public IReadOnlyList<(string Id, string Version)> Dependencies =>
        [.. _metadata
            .Descendants()
            .Where(element => element.Name.LocalName == "dependency")
            .Select(element => ((string)element.Attribute("id")!, (string)element.Attribute("version")!))];

    public static NuspecFile Read(string package)
    {
        using ZipArchive archive = ZipFile.OpenRead(package);
        using Stream stream = archive.Entries.Single(entry => entry.FullName.EndsWith(".nuspec", StringComparison.Ordinal)).Open();
        return new NuspecFile(XDocument.Load(stream).Root!.Elements().Single());
    }

    private string Text(string name) => Element(name).Value;

    private XElement Element(string name) => _metadata.Elements().Single(element => element.Name.LocalName == name);
}
